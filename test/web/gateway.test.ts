/** The gateway in the page of the real program: its keys and what they used; and a key that is revoked there. */
import { afterAll, beforeAll, expect } from "bun:test";

import { noUsage } from "@tau/ai";
import { Keys, ledgerPath, readRights, SqliteLedger } from "@tau/gateway";

import { needs } from "../support/needs.ts";
import { axeFindings } from "./axe.ts";
import { shareChromium, textOf, untilText, type Chromium } from "./chromium.ts";
import { launchWeb } from "./launch-web.ts";

const test = needs("chromium");
let chromium: Chromium;
beforeAll(async () => {
	if (Bun.which("chromium") !== null) chromium = await shareChromium();
});
afterAll(async () => {
	await chromium?.[Symbol.asyncDispose]();
});

test("the page shows the keys of the gateway with what they used, and revokes one", async () => {
	await using tau = await launchWeb({ steps: [] });
	await using ledger = new SqliteLedger(ledgerPath({ HOME: tau.home }));
	await using keys = new Keys(ledger);
	const { row } = await keys.create(readRights({ name: "ci", models: "gpt-*", budget: "5/day", rpm: "60" }));
	await keys.create(readRights({ name: "laptop", expires: "30d" }));
	const usage = { ...noUsage(), input: 1_000, output: 200 };
	await keys.charge({ id: row.id }, { ...usage, cost: { ...usage.cost, total: 1.25 } });

	const page = await chromium.open(`${await tau.link()}&to=gateway`);
	await untilText(page, "laptop");
	expect(await textOf(page, ".usage-cards")).toMatch(/Today\s+\$1\.25/);
	const table = await textOf(page, 'section[aria-label="Keys"]');
	expect(table).toMatch(/ci\s+valid\s+gpt-\*\s+\$5 a day, 60 requests a minute\s+\$1\.25/);
	expect(table).toMatch(/laptop\s+until \d{4}-\d{2}-\d{2}\s+all\s+none/);
	expect(await axeFindings(page)).toEqual([]);

	// A phone shows what can be done to a key without scrolling sideways.
	await page.setViewport({ width: 360, height: 720 });
	const isInView =
		"[...document.querySelectorAll('[aria-label^=Revoke]')].every((each) => each.getBoundingClientRect().right <= innerWidth)";
	expect(await page.evaluate(isInView)).toBe(true);
	await page.click('button[aria-label="Revoke ci"]');
	await untilText(page, "revoked");
	expect((await ledger.row(row.id))?.revokedAt).toBeNumber();
});

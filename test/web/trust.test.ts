/** The code of a project that nobody has trusted yet: the page asks, as the terminal does, and a yes takes effect. */
import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../support/needs.ts";
import { shareChromium, until, untilText } from "./chromium.ts";
import { launchWeb } from "./launch-web.ts";

const test = needs("chromium");

test("code of a project waits for a yes in the page, and runs after it without a restart", async () => {
	await using tau = await launchWeb({ steps: ["Done."] });
	const folder = join(tau.project, ".tau/extensions");
	mkdirSync(folder, { recursive: true });
	const code = `export default (tau) => tau.registerCommand("gate", { description: "Opens the gate", handler: async (_, { ui }) => ui.notify("The gate is open.") });`;
	writeFileSync(join(folder, "gate.ts"), code);
	await using chromium = await shareChromium();
	const page = await chromium.open(await tau.link());
	await page.waitForSelector(".sidebar");
	const { id } = await tau.browser.post<{ id: string }>("/api/sessions", { cwd: tau.project });
	await page.goto(`${tau.origin}/#/s/${id}`);
	await untilText(page, "gate.ts", ".request .trust");
	// Who leaves is asked again: the question was not answered.
	await page.reload();
	await untilText(page, "gate.ts", ".request .trust");
	expect(tau.played.requests).toEqual([]);
	await page.click(".request .choices button");
	await until(page, '!document.querySelector(".request")');
	await page.type("#composer", "/gat");
	await untilText(page, "Opens the gate", ".suggestions");
	await page.keyboard.type("e");
	await page.keyboard.press("Enter");
	await untilText(page, "The gate is open.", ".transcript");
	await page.reload();
	await page.waitForSelector("#composer");
	await until(page, '!document.querySelector(".request")');
	expect(chromium.errors).toEqual([]);
});

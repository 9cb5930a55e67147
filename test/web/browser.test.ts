/** `tau web` as a user has it: the link in a real Chromium, a new session, an answer of the played model. */
import { expect } from "bun:test";

import { needs } from "../support/needs.ts";
import { shareChromium, textOf, untilText } from "./chromium.ts";
import { launchWeb } from "./launch-web.ts";

const test = needs("chromium");

test("the link signs the browser in, a prompt is answered, and a second page shows the same", async () => {
	await using tau = await launchWeb({ steps: ["The **answer** of the model."] });
	await using chromium = await shareChromium();
	const { id } = await tau.browser.post<{ id: string }>("/api/sessions", { cwd: tau.project });
	const page = await chromium.open(await tau.link());
	await page.waitForSelector(".sidebar");
	expect(page.url()).not.toContain("token");
	await page.goto(`${tau.origin}/#/s/${id}`);
	await page.waitForSelector("#composer");
	await page.type("#composer", "What is it?");
	await page.keyboard.press("Enter");
	await untilText(page, "The answer of the model.", ".transcript");
	const second = await page.browserContext().newPage();
	await second.goto(`${tau.origin}/#/s/${id}`);
	await untilText(second, "The answer of the model.", ".transcript");
	expect(await textOf(second, ".transcript")).toContain("What is it?");
});

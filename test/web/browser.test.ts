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

test("regression: the list says at once what the open session is called and does, without asking every few seconds", async () => {
	await using tau = await launchWeb({
		steps: [
			{
				answer: { blocks: [{ text: "one two three four", chunks: 4 }] },
				fault: { pauseMs: 120_000, afterChunks: 2 },
			},
		],
	});
	await using chromium = await shareChromium();
	const { id } = await tau.browser.post<{ id: string }>("/api/sessions", { cwd: tau.project });
	const page = await chromium.open("about:blank");
	// Waits of the test ask every 50 ms.
	await page.evaluateOnNewDocument(
		"{ const real = setInterval; globalThis.setInterval = (run, ms) => (ms > 1000 ? 0 : real(run, ms)); }",
	);
	await page.goto(await tau.link());
	await page.waitForSelector(".sidebar");
	await page.goto(`${tau.origin}/#/s/${id}`);
	await page.waitForSelector("#composer");
	await page.type("#composer", "Name the gates");
	await page.keyboard.press("Enter");
	await untilText(page, "working", ".sessions");
	await untilText(page, "Name the gates", ".sessions");
	await page.keyboard.press("Escape");
	await untilText(page, "open", ".sessions .state-open");
});

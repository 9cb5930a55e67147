/** The tree of a session in the page of the real program: a click continues from an entry, and another comes back. */
import { expect } from "bun:test";

import { needs } from "../support/needs.ts";
import { shareChromium, until, untilText } from "./chromium.ts";
import { launchWeb } from "./launch-web.ts";

const test = needs("chromium");
const row = (text: string): string =>
	`[...document.querySelectorAll(".tree-row")].find((each) => each.innerText.includes("${text}"))`;

test("a click in the tree goes back to an answer, and to the end of the branch that was left", async () => {
	await using tau = await launchWeb({ steps: ["First answer.", "Second answer."] });
	await using chromium = await shareChromium();
	const { id } = await tau.browser.post<{ id: string }>("/api/sessions", { cwd: tau.project });
	const page = await chromium.open(await tau.link());
	await page.waitForSelector(".sidebar");
	await page.goto(`${tau.origin}/#/s/${id}`);
	await page.waitForSelector("#composer");
	for (const which of ["First", "Second"]) {
		await page.type("#composer", which);
		await page.keyboard.press("Enter");
		await untilText(page, `${which} answer.`, ".transcript");
	}
	await page.keyboard.down("Alt");
	await page.keyboard.press("t");
	await page.keyboard.up("Alt");
	await until(page, `!!${row("Second answer.")}`);
	await page.evaluate(`${row("First answer.")}.querySelector("button").click()`);
	await until(page, '!document.querySelector(".transcript").innerText.includes("Second answer.")');
	await until(page, `!${row("Second answer.")}.matches(".on-path")`);
	await page.evaluate(`${row("Second answer.")}.querySelector("button").click()`);
	await untilText(page, "Second answer.", ".transcript");
	await until(page, `${row("Second answer.")}.matches(".on-path")`);
	expect(chromium.errors).toEqual([]);
});

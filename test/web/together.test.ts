/** Two pages and a terminal on one session of the real program: each prompts, all see it, a question is answered once. */
import { expect } from "bun:test";

import { OpenTau } from "../interactive/driver.ts";
import { needs } from "../support/needs.ts";
import { shareChromium, textOf, until, untilText } from "./chromium.ts";
import { launchWeb } from "./launch-web.ts";

const test = needs("chromium");
const questions = [{ question: "Which color?", options: [{ label: "red" }, { label: "blue" }] }];

test("two pages and a terminal show the same, and what one answers is no question for the others any more", async () => {
	await using tau = await launchWeb({
		steps: [
			"The first answer.",
			"The second answer.",
			{ answer: { blocks: [{ toolCall: { name: "ask", arguments: { questions } } }] } },
			"Blue it is.",
		],
	});
	await using chromium = await shareChromium();
	const { id } = await tau.browser.post<{ id: string }>("/api/sessions", { cwd: tau.project });
	const pages = [];
	for (let at = 0; at < 2; at++) {
		const page = await chromium.open(await tau.link());
		await page.waitForSelector(".sidebar");
		await page.goto(`${tau.origin}/#/s/${id}`);
		await page.waitForSelector("#composer");
		pages.push(page);
	}
	const [one, other] = pages;
	if (!one || !other) throw new Error("There are no pages.");
	await using terminal = new OpenTau(tau, { home: tau, anyModel: true, args: ["attach", id] });
	await untilText(one, "3 clients", ".bar");

	await one.type("#composer", "from a page");
	await one.keyboard.press("Enter");
	await untilText(other, "The first answer.", ".transcript");
	await terminal.until("The first answer.");

	terminal.type("from the terminal\r");
	for (const page of pages) await untilText(page, "The second answer.", ".transcript");

	await other.type("#composer", "ask me");
	await other.keyboard.press("Enter");
	for (const page of pages) await untilText(page, "Which color?", ".request");
	await terminal.until("Which color?");
	await one.evaluate('[...document.querySelectorAll(".option")].at(1).click()');
	await one.click(".request .primary");
	for (const page of pages) {
		await untilText(page, "Blue it is.", ".transcript");
		await until(page, '!document.querySelector(".request")');
	}
	await terminal.until("Blue it is.");
	const [shown, same] = await Promise.all(pages.map((page) => textOf(page, ".transcript")));
	const said = /from a page|from the terminal|ask me|The \w+ answer\.|Blue it is\./g;
	const order = [
		"from a page",
		"The first answer.",
		"from the terminal",
		"The second answer.",
		"ask me",
		"Blue it is.",
	];
	expect([...(shown?.match(said) ?? [])]).toEqual(order);
	expect([...(same?.match(said) ?? [])]).toEqual(order);
	expect(chromium.errors).toEqual([]);
});

/** The terminal of a command in the page: a user types into it there, and the model gets what was on its screen. */
import { expect } from "bun:test";

import { needs } from "../support/needs.ts";
import { shareChromium, until, untilText } from "./chromium.ts";
import { launchWeb } from "./launch-web.ts";

const test = needs("chromium");
const command =
	'printf "\\033[31mYour name: \\033[0m"; read name; printf "%s\\n" "hello $name"; read -rsn1 key; printf "key %q, %s columns\\n" "$key" "$(tput cols)"; read -r';

test("a command with a terminal is typed into from the page, also after a reload, and closes it when it ends", async () => {
	await using tau = await launchWeb({
		steps: [
			{ answer: { blocks: [{ toolCall: { name: "bash", arguments: { command, pty: true } } }] } },
			"Greeted.",
		],
	});
	await using chromium = await shareChromium();
	const page = await chromium.open(await tau.link());
	await page.waitForSelector(".sidebar");
	const { id } = await tau.browser.post<{ id: string }>("/api/sessions", { cwd: tau.project });
	await page.goto(`${tau.origin}/#/s/${id}`);
	await page.waitForSelector("#composer");
	await page.type("#composer", "ask for a name");
	await page.keyboard.press("Enter");
	await untilText(page, "Your name:", ".terminal-screen");
	await until(page, 'document.querySelector(".terminal-screen .fg-1")?.innerText.includes("Your name")');
	await until(page, 'document.activeElement.matches(".terminal-keys")');
	await page.keyboard.type("Ann");
	await untilText(page, "Your name: Ann", ".terminal-screen");
	// Whoever comes back finds it as it was.
	await page.reload();
	await untilText(page, "Your name: Ann", ".terminal-screen");
	await until(page, 'document.activeElement.matches(".terminal-keys")');
	await page.keyboard.press("Enter");
	await untilText(page, "hello Ann", ".terminal-screen");
	// Escape is the program's, not the page's.
	await page.keyboard.press("Escape");
	await untilText(page, "key $'\\E'", ".terminal-screen");
	// As wide as the page has room for.
	const columns = Number(
		await page.evaluate(
			String.raw`Number(/(\d+) columns/.exec(document.querySelector(".terminal-screen").innerText)?.[1])`,
		),
	);
	expect(columns).toBeGreaterThan(80);
	await page.keyboard.press("Enter");
	await untilText(page, "Greeted.", ".transcript");
	await until(page, '!document.querySelector(".terminal")');
	expect(JSON.stringify(tau.played.requests.at(-1)?.body)).toContain("hello Ann");
	expect(chromium.errors).toEqual([]);
});

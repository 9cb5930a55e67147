/** A conversation as it is read: the end stays in view whatever takes room from it, and every message is there once. */
import { expect } from "bun:test";

import { answer, ask, shellApproval, text, user } from "@tau/web/testing";
import type { Page } from "puppeteer-core";

import { needs } from "../support/needs.ts";
import { textOf, until, untilText } from "./chromium.ts";
import { playedPage } from "./played-page.ts";

const test = needs("chromium");
const { chromium, played, addressOf } = await playedPage();

const words = "word ".repeat(120);
const fromEnd =
	'(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector(".transcript"))';
const write = (page: Page, value: string): Promise<unknown> =>
	page.evaluate(
		`((field) => { field.value = ${JSON.stringify(value)}; field.dispatchEvent(new Event("input", { bubbles: true })); })(document.querySelector("#composer"))`,
	);

test("regression: the end stays in view when a question, a long prompt or a keyboard takes room from it", async () => {
	const session = played("end");
	for (let at = 0; at < 20; at++) {
		session.message(user(`question ${at}`));
		session.message(answer([text(`answer ${at}: ${words}`)]));
	}
	const page = await chromium.open(addressOf("end"), { width: 360, height: 720 });
	await untilText(page, "answer 19");
	await until(page, `${fromEnd} < 2`);
	const room = async (): Promise<number> =>
		Number(await page.evaluate('document.querySelector(".transcript").clientHeight'));
	const whole = await room();
	await write(page, "a\nb\nc\nd\ne\nf");
	await until(page, `document.querySelector(".transcript").clientHeight < ${whole} && ${fromEnd} < 2`);
	await write(page, "");
	await page.setViewport({ width: 360, height: 400, isMobile: true, hasTouch: true });
	await until(page, `document.querySelector(".transcript").clientHeight < ${whole - 200} && ${fromEnd} < 2`);
	ask(session, shellApproval);
	await page.waitForSelector(".request");
	await until(page, `${fromEnd} < 2`);
	// Who reads further up stays there.
	await page.evaluate('document.querySelector(".transcript").scrollBy(0, -900)');
	await until(page, `${fromEnd} > 800`);
	await page.setViewport({ width: 360, height: 600, isMobile: true, hasTouch: true });
	await page.evaluate("new Promise(requestAnimationFrame)");
	expect(Number(await page.evaluate(fromEnd))).toBeGreaterThan(500);
}, 60_000);

test("regression: who scrolls up reads what is there, and not what was guessed before it was drawn", async () => {
	const session = played("up");
	for (let at = 0; at < 20; at++) {
		session.message(user(`question ${at}`));
		session.message(answer([text(`answer ${at}: ${words}`)]));
	}
	const page = await chromium.open(addressOf("up"), { width: 360, height: 720 });
	await untilText(page, "answer 19");
	await until(page, `${fromEnd} < 2`);
	await page.evaluate('document.querySelector(".transcript").scrollBy(0, -3000)');
	await until(page, `${fromEnd} > 2900 && ${fromEnd} < 5000`);
	// Rows that come into view later are as high as they were measured.
	const inView =
		'[...document.querySelectorAll(".row")].map((row) => [row, row.getBoundingClientRect()]).find(([, { top, bottom }]) => bottom > 200 && top < innerHeight)?.[0]';
	// Until then, the rows of the end are still in the page, out of sight.
	await until(page, `!!${inView}`);
	const height = await page.evaluate(`(globalThis.seen = ${inView}).offsetHeight`);
	await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
	expect(await page.evaluate("seen.offsetHeight")).toBe(height);
	expect(Number(await page.evaluate(fromEnd))).toBeGreaterThan(2900);
}, 60_000);

test("regression: answers of the same millisecond, as imported sessions have them, are all there, once", async () => {
	const session = played("same");
	const timestamp = Date.UTC(2026, 10, 18);
	for (let at = 0; at < 8; at++)
		session.message({ ...answer([text(`number ${at} of them`)]), timestamp } as Parameters<
			typeof session.message
		>[0]);
	const page = await chromium.open(addressOf("same"));
	await untilText(page, "number 7 of them");
	const on = session.message(user("and on"));
	session.emit({ type: "message_end", message: on.message as never, entryId: on.id });
	await untilText(page, "and on", ".transcript");
	const shown = await textOf(page, ".transcript");
	expect([...shown.matchAll(/number (\d)/g)].map(([, at]) => Number(at))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
}, 60_000);

test("a conversation of a few lines is there as a whole, with each of its lines", async () => {
	const session = played("short");
	for (let at = 0; at < 9; at++) session.message(answer([text(`line ${at}`)]));
	const page = await chromium.open(addressOf("short"));
	await untilText(page, "line 8", ".transcript");
	await until(
		page,
		'(document.querySelector(".transcript").innerText.match(/line \\d/g) ?? []).length === 9',
	);
}, 60_000);

test("what one has sent oneself has no name, what others have sent has theirs", async () => {
	const session = played("names");
	session.message({ ...user("mine"), by: "browser" } as Parameters<typeof session.message>[0]);
	session.message({ ...user("theirs"), by: "terminal pts/1" } as Parameters<typeof session.message>[0]);
	const page = await chromium.open(addressOf("names"));
	await untilText(page, "theirs", ".transcript");
	expect(await page.$$eval(".user .by", (each) => each.length)).toBe(1);
	expect(await textOf(page, ".user .by")).toBe("terminal pts/1");
}, 60_000);

test("no page has reported an error", () => {
	expect(chromium.errors).toEqual([]);
});

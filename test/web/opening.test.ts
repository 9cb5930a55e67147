/** A session that takes a while to open: what is typed meanwhile is neither lost nor an answer to a question. */
import { expect } from "bun:test";

import { ask, type MockSession, shellApproval, user } from "@tau/web/testing";
import type { Page } from "puppeteer-core";

import { needs } from "../support/needs.ts";
import { textOf, until, untilText } from "./chromium.ts";
import { playedPage } from "./played-page.ts";

const test = needs("chromium");
const early = ".dock textarea:not(#composer)";
const { host, chromium, played, addressOf } = await playedPage();

/** A page at a session that is opened when `open` is called. */
async function opening(id: string): Promise<{ session: MockSession; page: Page; open(): void }> {
	const session = played(id);
	session.handlers.prompt = () => ({ disposition: "started" });
	session.message(user("Before"));
	const { promise, resolve: open } = Promise.withResolvers<void>();
	host.opened = promise;
	const page = await chromium.open(addressOf(id));
	await page.waitForSelector(early);
	await until(page, `document.activeElement?.matches(${JSON.stringify(early)})`);
	return { session, page, open };
}

test("what is typed while a session opens is in its composer, where the next key continues", async () => {
	const { page, open } = await opening("slow");
	await page.keyboard.type("half a ");
	open();
	await page.waitForSelector("#composer");
	await page.keyboard.type("thought");
	await until(page, 'document.querySelector("#composer").value === "half a thought"');
	await untilText(page, "Before", ".transcript");
}, 60_000);

test("Enter sends it as soon as the session is open, once; typing on takes that back", async () => {
	const { session, page, open } = await opening("sent");
	await page.keyboard.type("do thi");
	await page.keyboard.press("Enter");
	await untilText(page, "Is sent as soon as the session is open");
	await page.keyboard.type("s");
	await until(page, '!document.body.innerText.includes("Is sent")');
	await page.keyboard.press("Enter");
	await untilText(page, "Is sent as soon as the session is open");
	open();
	await until(page, 'document.querySelector("#composer")?.value === ""');
	await page.reload();
	await page.waitForSelector("#composer");
	const prompts = session.received.filter(({ type }) => type === "prompt");
	expect(prompts.map(({ message }) => message)).toEqual(["do this"]);
}, 60_000);

test("who is writing when the session opens with a question does not answer it by the next key", async () => {
	const { session, page, open } = await opening("asked");
	const answers: unknown[] = [];
	session.handlers.answer_request = ({ answer }) => void answers.push(answer);
	ask(session, shellApproval);
	await page.keyboard.type("First, ");
	open();
	await untilText(page, "git push", ".request");
	await page.keyboard.type("1 and 2");
	await until(page, 'document.querySelector("#composer").value === "First, 1 and 2"');
	expect(answers).toEqual([]);
}, 60_000);

test("where the session cannot be opened, nothing is sent later, and the text is still its draft", async () => {
	const { session, page } = await opening("gone");
	await page.keyboard.type("for later");
	await page.keyboard.press("Enter");
	host.cut(true);
	await untilText(page, "The session could not be opened");
	host.cut(false);
	host.opened = Promise.resolve();
	await page.evaluate(
		'[...document.querySelectorAll("button")].find((each) => each.innerText === "Try again").click()',
	);
	await until(page, 'document.querySelector("#composer")?.value === "for later"');
	expect(session.received.some(({ type }) => type === "prompt")).toBe(false);
	expect(await textOf(page, ".transcript")).toContain("Before");
}, 60_000);

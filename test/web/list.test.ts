/** The list of sessions as one uses it: its order, its search and filter, the menu of a row, where new sessions begin. */
import { afterEach, expect } from "bun:test";

import { ask, type MockSession, shellApproval, user } from "@tau/web/testing";
import type { Page } from "puppeteer-core";

import { needs } from "../support/needs.ts";
import { textOf, until, untilText } from "./chromium.ts";
import { playedPage } from "./played-page.ts";

const test = needs("chromium");
const { host, chromium, ...web } = await playedPage();

afterEach(() => {
	host.sessions.clear();
	host.pinned.clear();
});

function played(id: string, name: string, cwd = "/home/ada/work/parser"): MockSession {
	const session = web.played(id, name, { session: { id, name, cwd, isTrusted: true } });
	session.message(user(name));
	return session;
}

const titles = (page: Page): Promise<string[]> =>
	page.$$eval(".session-title", (all) => all.map((each) => each.textContent.replaceAll(/\s+/g, " ").trim()));

test("who waits for an answer stands on top, then who works, then what is pinned, then the latest", async () => {
	played("latest", "The latest");
	played("old", "An old one");
	host.pinned.add("old");
	played("works", "It works").change({ phase: "running" });
	ask(played("waits", "It waits"), shellApproval);
	const page = await chromium.open(`${host.url}#/`);
	await untilText(page, "It waits", ".sessions");
	expect(await titles(page)).toEqual(["It waits", "It works", "★ An old one", "The latest"]);
	expect(await page.title()).toStartWith("(1) ");
});

test("words find sessions, a project shows its own, and a list with nothing in it says so", async () => {
	played("one", "Port the importer");
	played("two", "Notes on the index");
	played("three", "Build of the site", "/home/ada/work/site");
	const page = await chromium.open(`${host.url}#/`);
	await untilText(page, "Port the importer", ".sessions");
	await page.type(".search input", "index");
	await until(page, 'document.querySelectorAll(".session").length === 1');
	expect(await titles(page)).toEqual(["Notes on the index"]);
	await page.type(".search input", " of gold");
	await untilText(page, "Nothing found.", ".sessions");
	await page.evaluate('document.querySelector(".search input").select()');
	await page.keyboard.press("Backspace");
	await until(page, 'document.querySelectorAll(".session").length === 3');
	await page.select(".project-filter select", "/home/ada/work/site");
	await until(page, 'document.querySelectorAll(".session").length === 1');
	expect(await titles(page)).toEqual(["Build of the site"]);
	// The server knows more sessions than it lists.
	await until(
		page,
		'performance.getEntriesByType("resource").some(({ name }) => name.includes("project=%2Fhome"))',
	);
});

/** The rows of the menu that is open. */
const menu = ".menu:popover-open button";

test("regression: the menu of the last row is whole, and goes by a click elsewhere or Escape, which stops nothing", async () => {
	for (let at = 0; at < 40; at++) played(`s${at}`, `Session ${at}`);
	const running = host.sessions.get("s0");
	running?.change({ phase: "running" });
	const page = await chromium.open(`${host.url}#/s/s0`, { height: 700 });
	await untilText(page, "Session 39", ".sessions");
	await page.evaluate('document.querySelector(".sessions").scrollTo(0, 1e6)');
	await page.hover(".session:last-child");
	await page.click(".session:last-child .session-more");
	await page.waitForSelector(menu);
	const isWhole = `[...document.querySelectorAll(${JSON.stringify(menu)})].every((each) => {
		const { left, right, top, bottom } = each.getBoundingClientRect();
		return each.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
	})`;
	expect(await page.evaluate(isWhole)).toBe(true);
	await page.click(".transcript");
	await until(page, `!document.querySelector(${JSON.stringify(menu)})`);
	await page.hover(".session:last-child");
	await page.click(".session:last-child .session-more");
	await page.waitForSelector(menu);
	await page.keyboard.press("Escape");
	await until(page, `!document.querySelector(${JSON.stringify(menu)})`);
	expect(running?.received.some(({ type }) => type === "abort")).toBe(false);
	// Without the menu it is the key that interrupts.
	running!.handlers.abort = () => running!.change({ phase: "idle" });
	await page.click("#composer");
	await page.keyboard.press("Escape");
	await until(page, '!document.querySelector(".send.stop")');
	expect(running?.received.some(({ type }) => type === "abort")).toBe(true);
});

test("a session is pinned and unpinned in its menu, by keys alone", async () => {
	played("one", "The first");
	played("two", "The second");
	const page = await chromium.open(`${host.url}#/`);
	await untilText(page, "The second", ".sessions");
	const pin = async (label: string): Promise<void> => {
		await page.focus(`.session:has([href="#/s/two"]) .session-more`);
		await page.keyboard.press("Enter");
		await page.waitForSelector(menu);
		for (;;) {
			await page.keyboard.press("Tab");
			if ((await page.evaluate("document.activeElement.innerText")) === label) break;
		}
		await page.keyboard.press("Enter");
	};
	await pin("Pin");
	await until(page, 'document.querySelector(".session-title").innerText.includes("The second")');
	expect([...host.pinned]).toEqual(["two"]);
	await pin("Unpin");
	await until(page, '!document.querySelector(".session-title").innerText.includes("The second")');
});

test("on a phone, a new session begins in a project that one chooses, or in another directory", async () => {
	played("one", "The first");
	played("three", "Build of the site", "/home/ada/work/site");
	const made: unknown[] = [];
	host.routes["POST /api/sessions"] = async (request) => {
		made.push(await request.json());
		return { id: "one" };
	};
	const page = await chromium.open(`${host.url}#/`, { width: 360, height: 720 });
	const start = async (): Promise<void> => {
		await page.waitForSelector(".sidebar");
		await page.tap("[aria-label='New session']");
		await untilText(page, "What shall we work on?");
	};
	const tap = (words: string): Promise<unknown> =>
		page.evaluate(
			`[...document.querySelectorAll(".home button")].find((each) => each.innerText.includes(${JSON.stringify(words)})).click()`,
		);
	await start();
	await page.tap("[aria-label='All sessions']");
	await start();
	await tap("site");
	await untilText(page, "The first", ".transcript");
	await page.tap("[aria-label='All sessions']");
	await start();
	await tap("In another directory");
	await page.waitForSelector(".line-dialog input");
	await page.type(".line-dialog input", "~/fresh");
	await page.tap(".line-dialog .primary");
	await untilText(page, "The first", ".transcript");
	expect(made).toEqual([{ cwd: "/home/ada/work/site" }, { cwd: "~/fresh" }]);
});

test("regression: a list that was hidden comes back where no session is open", async () => {
	played("one", "The first");
	const page = await chromium.open(`${host.url}#/s/one`);
	await untilText(page, "The first", ".transcript");
	await page.click("[aria-label='Show or hide the list']");
	await until(page, '!document.querySelector(".sidebar").checkVisibility()');
	await page.evaluate('location.hash = "#/"');
	await untilText(page, "What shall we work on?");
	await page.click("[aria-label='Show or hide the list']");
	await untilText(page, "The first", ".sessions");
	expect(await textOf(page, ".sidebar")).toContain("The first");
});

test("no page has reported an error", () => {
	expect(chromium.errors).toEqual([]);
});

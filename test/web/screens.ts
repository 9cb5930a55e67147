/** Every screen of the page with played sessions, and how a user gets there: for tests and for the pictures of the docs. */
import type { Page } from "puppeteer-core";

import { until, untilText } from "./chromium.ts";

const withAlt = async (page: Page, key: "o" | "c" | "t" | "r" | "m"): Promise<void> => {
	await page.keyboard.down("Alt");
	await page.keyboard.press(key);
	await page.keyboard.up("Alt");
};

/** Of no room: the page asks for a name before it connects. */
const roomLink = `${"r".repeat(22)}#${"k".repeat(43)}`;

export interface Screen {
	readonly name: string;
	readonly at: string;
	readonly shows: string;
	/** What the user does to get there. */
	act?(page: Page): Promise<void>;
}

export const screens: readonly Screen[] = [
	{ name: "list", at: "#/", shows: "Release 2.4" },
	{ name: "new", at: "#/new", shows: "What shall we work on?" },
	{ name: "session", at: "#/s/parser", shows: "strings that never end" },
	{ name: "question", at: "#/s/release", shows: "Allow once" },
	{ name: "overview", at: "#/s/parser", shows: "Measure where", act: (page) => withAlt(page, "o") },
	{ name: "plan", at: "#/s/plan", shows: "Approve in a fresh context" },
	{ name: "context", at: "#/s/parser", shows: "System prompt", act: (page) => withAlt(page, "c") },
	{ name: "busy", at: "#/s/busy", shows: "in batches of 500" },
	{ name: "tree", at: "#/s/parser", shows: "Fork the session", act: (page) => withAlt(page, "t") },
	{ name: "fleet", at: "#/fleet", shows: "Allow git push" },
	{ name: "rewind", at: "#/s/parser", shows: "1 file differs", act: (page) => withAlt(page, "r") },
	{ name: "terminal", at: "#/s/terminal", shows: "Passphrase" },
	{ name: "models", at: "#/s/parser", shows: "$3 / $15", act: (page) => withAlt(page, "m") },
	{ name: "trust", at: "#/s/trust", shows: "Trust the code of this project?" },
	{ name: "changes", at: "#/s/parser", shows: "lexer.ts", act: (page) => command(page, "diff") },
	{ name: "statistics", at: "#/stats", shows: "All sessions of this machine" },
	{ name: "settings", at: "#/s/parser", shows: "steeringMode", act: (page) => command(page, "settings") },
	{
		name: "document",
		at: "#/s/page",
		shows: "Download",
		act: (page) => press(page, '[data-action="open-artifact"]'),
	},
	{
		name: "change",
		at: "#/s/parser",
		shows: "charCodeAt",
		async act(page) {
			await command(page, "diff");
			await press(page, ".panel summary");
			await page.waitForSelector(".panel .diff");
		},
	},
	{ name: "gateway", at: "#/gateway", shows: "continuous integration" },
	{ name: "agents", at: "#/s/busy", shows: "grep readRows", act: (page) => withAlt(page, "o") },
	{
		name: "suggestions",
		at: "#/s/page",
		shows: "Keep working until",
		act: (page) => page.type("#composer", "/"),
	},
	{
		name: "help",
		at: "#/s/parser",
		shows: "Previous or next session",
		act: (page) => press(page, ".sidebar-foot [aria-label='Keys and help']"),
	},
	{ name: "relay", at: "guest", shows: "Tau relay" },
	{ name: "signed-out", at: "#token=used", shows: "not signed in" },
	{ name: "guest", at: `guest#${roomLink}`, shows: "Join a shared session" },
	{
		name: "palette",
		at: "#/s/parser",
		shows: "command",
		async act(page) {
			await page.keyboard.down("Control");
			await page.keyboard.press("k");
			await page.keyboard.up("Control");
			await page.waitForSelector(".palette-list li");
		},
	},
	{ name: "export", at: "export", shows: "Made by Tau" },
	{ name: "gone", at: "#/s/none", shows: "The session could not be opened" },
];

async function command(page: Page, name: string): Promise<void> {
	await page.type("#composer", `/${name}`);
	// Enter begins a new line on a phone.
	await page.click("button.send");
}

/** By its own click: on a phone it may be off the screen. */
async function press(page: Page, selector: string): Promise<void> {
	await until(page, `!!document.querySelector(${JSON.stringify(selector)})`);
	await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
}

/**
 * As a user moves: within a document by the fragment, without a load, which takes three times the CPU time. The order of the
 * screens is such that each has another address than the one before, and that nothing stays open over the next.
 */
export async function showScreen(page: Page, url: string, { at, shows, act }: Screen): Promise<void> {
	await page.goto(`${url}${at}`);
	if (act) await page.waitForSelector("#composer");
	await act?.(page);
	await untilText(page, shows);
	// What is still loading fades in and out.
	await until(page, "!document.querySelector('p.pulse')");
}

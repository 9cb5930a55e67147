/** Every screen of the page, in both themes and on a phone: readable for assistive programs, and nothing wider than it. */
import { afterAll, beforeAll, expect } from "bun:test";

import axe from "axe-core";
import { demoSessions, startMockHost, type MockHost } from "@tau/web/testing";
import type { Page } from "puppeteer-core";

import { needs } from "../support/needs.ts";
import { launchChromium, until, untilText, type Chromium } from "./chromium.ts";

const test = needs("chromium");
let host: MockHost;
let chromium: Chromium;

beforeAll(async () => {
	if (Bun.which("chromium") === null) return;
	host = await startMockHost(demoSessions());
	chromium = await launchChromium();
});

afterAll(async () => {
	await chromium?.[Symbol.asyncDispose]();
	await host?.[Symbol.asyncDispose]();
});

const withAlt = async (page: Page, key: "o" | "c" | "t" | "r" | "m"): Promise<void> => {
	await page.keyboard.down("Alt");
	await page.keyboard.press(key);
	await page.keyboard.up("Alt");
};

interface Screen {
	readonly name: string;
	readonly at: string;
	readonly shows: string;
	/** What the user does to get there. */
	act?(page: Page): Promise<void>;
}

const screens: readonly Screen[] = [
	{ name: "list", at: "#/", shows: "Release 2.4" },
	{ name: "session", at: "#/s/parser", shows: "strings that never end" },
	{ name: "question", at: "#/s/release", shows: "Allow once" },
	{ name: "overview", at: "#/s/parser", shows: "Measure where", act: (page) => withAlt(page, "o") },
	{ name: "context", at: "#/s/parser", shows: "System prompt", act: (page) => withAlt(page, "c") },
	{ name: "tree", at: "#/s/parser", shows: "Fork the session", act: (page) => withAlt(page, "t") },
	{ name: "rewind", at: "#/s/parser", shows: "files differ", act: (page) => withAlt(page, "r") },
	{ name: "models", at: "#/s/parser", shows: "$3 / $15", act: (page) => withAlt(page, "m") },
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
];

/** The dark theme differs in its colors alone. */
async function serious(page: Page, theme: "light" | "dark"): Promise<string[]> {
	await page.evaluate(axe.source);
	const found = (await page.evaluate(
		`axe.run(${JSON.stringify(theme === "dark" ? { runOnly: ["color-contrast"] } : {})})`,
	)) as axe.AxeResults;
	return found.violations
		.filter(({ impact }) => impact === "serious" || impact === "critical")
		.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

test.each([
	["light", 1280],
	["dark", 1280],
	["light", 360],
	["dark", 360],
] as const)(
	"all screens, %s, %d px wide: no serious finding of axe, nothing wider than the page",
	async (theme, width) => {
		const page = await chromium.open(`${host.url}#/`, { width, height: 800, theme });
		const problems: string[] = [];
		for (const { name, at, shows, act } of screens) {
			await page.goto("about:blank");
			await page.goto(`${host.url}${at}`);
			await page.waitForSelector(at === "#/" ? ".session" : "#composer");
			await act?.(page);
			await untilText(page, shows);
			// What is still loading fades in and out.
			await until(page, "!document.querySelector('p.pulse')");
			problems.push(...(await serious(page, theme)).map((each) => `${name}: ${each}`));
			const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
			if (isWide) problems.push(`${name}: wider than the page`);
		}
		expect(problems).toEqual([]);
	},
	90_000,
);

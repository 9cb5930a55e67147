/** Every screen of the page, in both themes and on a phone: readable for assistive programs, and nothing wider than it. */
import { afterAll, beforeAll, expect } from "bun:test";

import axe from "axe-core";
import { demoSessions, startMockHost, type MockHost } from "@tau/web/testing";
import type { Page } from "puppeteer-core";

import { needs } from "../support/needs.ts";
import { launchChromium, type Chromium } from "./chromium.ts";
import { screens, showScreen } from "./screens.ts";

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

/** The dark theme differs in its colors alone, and the phone in its layout: the rest is checked once. */
async function serious(page: Page, isWhole: boolean): Promise<string[]> {
	await page.evaluate(axe.source);
	const found = (await page.evaluate(
		`axe.run(${JSON.stringify(isWhole ? {} : { runOnly: ["color-contrast"] })})`,
	)) as axe.AxeResults;
	return found.violations
		.filter(({ impact }) => impact === "serious" || impact === "critical")
		.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

test.each([
	["light", 1440],
	["dark", 1440],
	["light", 360],
	["dark", 360],
] as const)(
	"all screens, %s, %d px wide: no serious finding of axe, nothing wider than the page",
	async (theme, width) => {
		const page = await chromium.open(`${host.url}#/`, { width, height: 800, theme });
		const problems: string[] = [];
		for (const screen of screens) {
			const { name } = screen;
			await showScreen(page, host.url, screen);
			problems.push(
				...(await serious(page, theme === "light" && width === 1440)).map((each) => `${name}: ${each}`),
			);
			const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
			if (isWide) problems.push(`${name}: wider than the page`);
		}
		expect(problems).toEqual([]);
	},
	240_000,
);

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
	const found = (await page.evaluate(
		`axe.run(${JSON.stringify(isWhole ? {} : { runOnly: ["color-contrast"] })})`,
	)) as axe.AxeResults;
	return found.violations
		.filter(({ impact }) => impact === "serious" || impact === "critical")
		.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

test.each([1440, 360])(
	"all screens, light and dark, %d px wide: no serious finding of axe, nothing wider than the page",
	async (width) => {
		const page = await chromium.open(`${host.url}#/`, { width, height: 800 });
		const problems: string[] = [];
		for (const screen of screens) {
			const { name } = screen;
			await showScreen(page, host.url, screen);
			await page.evaluate(axe.source);
			for (const theme of ["light", "dark"] as const) {
				await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
				const found = await serious(page, theme === "light" && width === 1440);
				problems.push(...found.map((each) => `${name}, ${theme}: ${each}`));
			}
			await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
			const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
			if (isWide) problems.push(`${name}: wider than the page`);
		}
		expect(problems).toEqual([]);
	},
	240_000,
);

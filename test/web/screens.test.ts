/** Every screen of the page, in both themes and on a phone: readable for assistive programs, and nothing wider than it. */
import { afterAll, beforeAll, expect } from "bun:test";

import type { MockHost } from "@tau/web/testing";

import { needs } from "../support/needs.ts";
import { seriousFindings } from "./axe.ts";
import { shareChromium, type Chromium } from "./chromium.ts";
import { startDemoHost } from "./demo-host.ts";
import { screens, showScreen } from "./screens.ts";

const test = needs("chromium");
let host: MockHost;
let chromium: Chromium;

beforeAll(async () => {
	if (Bun.which("chromium") === null) return;
	host = await startDemoHost();
	chromium = await shareChromium();
});

afterAll(async () => {
	await chromium?.[Symbol.asyncDispose]();
	await host?.[Symbol.asyncDispose]();
});

/** Controls that a finger cannot hit: less than 24 px high or wide. Boxes are hit by their labels. */
const tooSmall = `[...document.querySelectorAll("button, a[href], input:not([type=checkbox], [type=radio], [hidden]), select, textarea, summary")]
	.filter((each) => each.checkVisibility() && !each.closest(".markdown p"))
	.map((each) => [each.getBoundingClientRect(), each.getAttribute("aria-label") ?? each.textContent])
	.filter(([{ width, height }]) => width > 0 && (width < 24 || height < 24))
	.map(([{ width, height }, label]) => Math.round(width) + " x " + Math.round(height) + " px: " + label)`;

/** Controls beyond an edge that nothing can be scrolled to: what is hidden there cannot be used. */
const outside = `[...document.querySelectorAll("button, a[href], input:not([hidden]), select, textarea")]
	.filter((each) => each.checkVisibility() && !each.closest(".visually-hidden"))
	.filter((each) => {
		const { left, right } = each.getBoundingClientRect();
		if (right <= innerWidth + 1 && left >= -1) return false;
		for (let above = each; above; above = above.parentElement)
			if (/auto|scroll/.test(getComputedStyle(above).overflowX)) return false;
		return true;
	})
	.map((each) => "out of sight: " + (each.getAttribute("aria-label") ?? each.textContent))`;

test.each([1440, 360])(
	"all screens, light and dark, %d px wide: no serious finding of axe, nothing wider than the page, nothing out of reach or too small for a finger",
	async (width) => {
		const page = await chromium.open(`${host.url}#/`, { width, height: 800 });
		const problems: string[] = [];
		for (const screen of screens) {
			const { name } = screen;
			await showScreen(page, host.url, screen);
			for (const theme of ["light", "dark"] as const) {
				await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
				// The dark theme differs in its colors alone, and the phone in its layout: the rest is checked once.
				const isContrastOnly = theme === "dark" || width === 360;
				const found = await seriousFindings(page, { isContrastOnly });
				problems.push(...found.map((each) => `${name}, ${theme}: ${each}`));
			}
			await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
			problems.push(...((await page.evaluate(outside)) as string[]).map((each) => `${name}: ${each}`));
			if (width === 360)
				problems.push(...((await page.evaluate(tooSmall)) as string[]).map((each) => `${name}: ${each}`));
			const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
			if (isWide) problems.push(`${name}: wider than the page`);
		}
		expect(problems).toEqual([]);
	},
	480_000,
);

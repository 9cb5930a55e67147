/** A recording in the browser: the real program makes the page, a real Chromium plays it. */
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Page } from "puppeteer-core";

import { launch, type Launched } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { seriousFindings } from "./axe.ts";
import { shareChromium, textOf, until, untilText, type Chromium } from "./chromium.ts";

const test = needs("chromium");
const directory = mkdtempSync(join(tmpdir(), "tau-recording-"));
const file = join(directory, "demo.html");
let tau: Launched;
let chromium: Chromium;

beforeAll(async () => {
	if (Bun.which("chromium") === null) return;
	const look = { toolCall: { name: "bash", arguments: { command: "echo hello" } } };
	tau = await launch({
		steps: [
			{ answer: { blocks: [{ text: "Let me look.", chunks: 3 }, look] } },
			{
				answer: {
					blocks: [{ text: "It says **hello**. <img src=x onerror=alert(1)>", chunks: 8 }],
					delayMs: 400,
				},
			},
		],
	});
	const recorded = await tau.run(["-p", "what does it say?", "--record", "demo.cassette"]);
	expect(recorded.code).toBe(0);
	chromium = await shareChromium();
});

afterAll(async () => {
	await chromium?.[Symbol.asyncDispose]();
	await tau?.[Symbol.asyncDispose]();
	rmSync(directory, { recursive: true, force: true });
});

const set = (selector: string, value: number | string, event: string): string =>
	`{ const field = document.querySelector(${JSON.stringify(selector)}); field.value = ${JSON.stringify(String(value))}; field.dispatchEvent(new Event("${event}", { bubbles: true })); }`;
const label = async (page: Page): Promise<string> =>
	String(await page.evaluate('document.querySelector(".player-play").ariaLabel'));

test("--output writes one page for its owner alone, and replaces none", async () => {
	const made = await tau.run(["replay", "demo.cassette", "--output", file]);
	expect(made).toMatchObject({ code: 0, out: `${file}\n` });
	expect(statSync(file).mode & 0o777).toBe(0o600);
	expect(readFileSync(file, "utf8")).toContain("connect-src 'none'");
	const again = await tau.run(["replay", "demo.cassette", "--output", file]);
	expect(again.code).not.toBe(0);
	expect(again.err).toContain("already exists");
});

test("the page plays to the end, pauses, seeks and changes its speed, by mouse and by keys", async () => {
	const page = await chromium.open(`file://${file}`);
	await untilText(page, "what does it say?", ".transcript");
	await page.evaluate(set(".player-speed", 16, "change"));
	await untilText(page, "It says hello", ".transcript");
	await until(page, 'document.querySelector(".player-play").ariaLabel === "Play again"');
	expect(await textOf(page, ".player")).toContain("answer 2 of 2");
	expect(await page.$(".transcript img")).toBeNull();
	await page.evaluate(set(".player-seek", 0, "input"));
	await until(page, '!document.querySelector(".transcript").innerText.includes("It says hello")');
	await page.evaluate(set(".player-speed", 0.5, "change"));
	await page.click(".player-play");
	expect(await label(page)).toBe("Play");
	await page.focus(".transcript");
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("ArrowRight");
	await untilText(page, "It says hello", ".transcript");
	await page.keyboard.press("ArrowLeft");
	await page.keyboard.press("Space");
	await until(page, 'document.querySelector(".player-play").ariaLabel === "Pause"');
	await page.close();
});

test.each([1440, 360])(
	"the player has no serious finding of axe and nothing wider than the page, %d px wide",
	async (width) => {
		const page = await chromium.open(`file://${file}`, { width });
		await untilText(page, "what does it say?", ".transcript");
		await page.evaluate(set(".player-seek", 10_000_000, "input"));
		await untilText(page, "It says hello", ".transcript");
		for (const theme of ["light", "dark"] as const) {
			await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
			expect(await seriousFindings(page, { isContrastOnly: theme === "dark" })).toEqual([]);
		}
		expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
		await page.close();
	},
	180_000,
);

test("regression: the page of a recording fits a phone, and its bar is for seeking", async () => {
	const phone = await chromium.open(`file://${file}`, { width: 360, height: 720 });
	await phone.waitForSelector(".player-seek");
	expect(await phone.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
	const wide = await chromium.open(`file://${file}`, { width: 1440, height: 900 });
	await wide.waitForSelector(".player-seek");
	const widths = '["seek", "speed"].map((each) => document.querySelector(`.player-${each}`).clientWidth)';
	const [seek = 0, speed = 0] = (await wide.evaluate(widths)) as number[];
	expect(seek).toBeGreaterThan(speed * 5);
});

test("--web shows it to whoever has the link, and to nobody who comes by another name or path", async () => {
	const running = tau.start(["replay", "demo.cassette", "--web", "--no-open"]);
	try {
		await running.until(({ out }) => out.includes("Ctrl+C ends it."));
		const [link = ""] = /http:\/\/127\.0\.0\.1:\d+\/\w+/.exec(running.output().out) ?? [];
		const page = await chromium.open(link);
		await untilText(page, "what does it say?", ".transcript");
		const { origin, host } = new URL(link);
		expect((await fetch(origin)).status).toBe(404);
		expect((await fetch(link, { method: "POST" })).status).toBe(404);
		expect((await fetch(link, { headers: { host: `evil.example:${host.split(":")[1]}` } })).status).toBe(404);
		await page.close();
	} finally {
		running.process.kill("SIGINT");
	}
	expect(await running.process.exited).toBe(0);
});

test("a page whose recording was damaged, or is of a newer version, says so", async () => {
	const whole = readFileSync(file, "utf8");
	const broken: [string, string, string][] = [
		["torn.html", whole.replace(/("lengthMs":\d+)\}\}/, "$1"), "This recording is damaged"],
		[
			"newer.html",
			whole.replace('"tau-recording","version":1', '"tau-recording","version":9'),
			"newer version",
		],
		["times.html", whole.replace('"beats":[{"at":0', '"beats":[{"at":-5'), "its times are not in order"],
	];
	for (const [name, page, reason] of broken) {
		writeFileSync(join(directory, name), page);
		const tab = await chromium.open(`file://${join(directory, name)}`);
		await untilText(tab, reason);
		await tab.close();
	}
});

test("no page has reported an error", () => {
	// The handler in the answer is refused by the policy of the page.
	expect(chromium.errors.filter((each) => !each.includes("inline event handler"))).toEqual([]);
});

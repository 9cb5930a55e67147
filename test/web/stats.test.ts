/** The statistics in the page: the figures of the routes, readable for everyone, and opened by `tau stats`. */
import { afterAll, afterEach, beforeAll, expect } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Stats, statsRoutes } from "@tau/stats";
import { writeCorpus } from "@tau/stats/testing";
import { money, tokens } from "@tau/utils";
import { demoSessions, startMockHost, type MockHost } from "@tau/web/testing";
import type { Page } from "puppeteer-core";

import { launchLocal } from "../attach/local.ts";
import { OpenTau } from "../interactive/driver.ts";
import { needs } from "../support/needs.ts";
import { axeFindings, seriousFindings } from "./axe.ts";
import { shareChromium, textOf, until, untilText, type Chromium } from "./chromium.ts";
import { writeUsageLines } from "./usage-lines.ts";

const test = needs("chromium");
const home = mkdtempSync(join(tmpdir(), "tau-stats-page-"));
const data = join(home, ".tau/agent");
const open = (): Stats => new Stats({ home, data, env: {} });
const answer = statsRoutes({
	open,
	async sync() {
		using stats = open();
		return await stats.sync();
	},
	windows: async () => [
		{
			provider: "anthropic",
			plan: "max",
			name: "5 hours",
			usedPercent: 62.4,
			resetsAt: Date.now() + 3_600_000,
		},
		{ provider: "anthropic", plan: "max", name: "7 days", usedPercent: 103 },
	],
});
let host: MockHost;
let chromium: Chromium;

beforeAll(async () => {
	if (Bun.which("chromium") === null) return;
	writeUsageLines(data, 60);
	writeCorpus({ home, sessions: 3, answers: 2, textBytes: 40 });
	host = await startMockHost(demoSessions());
	for (const view of [
		"",
		"/tools",
		"/providers",
		"/errors",
		"/behavior",
		"/sync",
		"/csv",
		"/sessions",
		"/session/trace",
	])
		host.routes[`GET /api/stats${view}`] = answer;
	chromium = await shareChromium();
});

afterEach(() => chromium?.closePages());

afterAll(async () => {
	await chromium?.[Symbol.asyncDispose]();
	await host?.[Symbol.asyncDispose]();
	rmSync(home, { recursive: true, force: true });
});

interface Sums {
	totalCost: number;
	estimatedCost: number;
	totalRequests: number;
	unpricedRequests: number;
	totalInputTokens: number;
}
interface Whole {
	overall: Sums;
	byModel: (Sums & { model: string })[];
	byFolder: (Sums & { folder: string })[];
}

async function get<T>(path: string): Promise<T> {
	return (await (await answer(new Request(`http://127.0.0.1/api/stats${path}`))).json()) as T;
}

/** The page has drawn what the scan has found. */
async function shown(page: Page): Promise<void> {
	await untilText(page, "All sessions of this machine");
	await until(page, "document.querySelectorAll('.usage-plot canvas').length === 2");
	await until(page, "document.querySelectorAll('.usage-scroll table').length >= 3");
}

const rowsOf = (page: Page, title: string): Promise<string[][]> =>
	page.evaluate(
		`[...document.querySelectorAll('section[aria-label="${title}"] tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText.trim()))`,
	) as Promise<string[][]>;

test("the page has the figures of the routes, in the range that the user chooses", async () => {
	const page = await chromium.open(`${host.url}#/`);
	await page.waitForSelector(".sidebar-foot a");
	await page.click(".sidebar-foot a");
	await shown(page);
	for (const [range, label] of [
		["7d", "7 days"],
		["all", "All time"],
	] as const) {
		const { overall, byModel, byFolder } = await get<Whole>(`?range=${range}`);
		await page.evaluate(
			`[...document.querySelectorAll(".range-switch button")].find((button) => button.innerText === "${label}").click()`,
		);
		await untilText(page, `${overall.totalRequests.toLocaleString("en-US")}\n`, ".usage-cards");
		const cards = await textOf(page, ".usage-cards");
		expect(cards).toContain(`~${money(overall.totalCost)}\n`);
		expect(cards).toContain(`${money(overall.estimatedCost)} of it estimated: subscriptions paid`);
		expect(cards).toContain(`${overall.unpricedRequests} requests without a price`);
		expect(cards).toContain(`${tokens(overall.totalInputTokens)} in`);
		const costs = new Map(byModel.map((row) => [row.model, money(row.totalCost)]));
		expect((await rowsOf(page, "Models")).map(([name = "", cost]) => [name.split(/\s/)[0], cost])).toEqual(
			byModel.map(({ model, estimatedCost, unpricedRequests }) => [
				model,
				unpricedRequests > 0 ? "N/A" : `${estimatedCost > 0 ? "~" : ""}${costs.get(model)}`,
			]),
		);
		expect((await rowsOf(page, "Projects")).map(([, , requests]) => requests)).toEqual(
			byFolder.map(({ totalRequests }) => String(totalRequests)),
		);
		expect(await textOf(page, 'section[aria-label="Cost"]')).toContain(`~${money(overall.totalCost)}`);
	}
	const { byTool } = await get<{ byTool: { tool: string; calls: number }[] }>("/tools?range=all");
	expect((await rowsOf(page, "Tools")).map(([tool, calls]) => [tool, calls])).toEqual(
		byTool.map(({ tool, calls }) => [tool, String(calls)]),
	);
	const { days } = await get<{ days: { day: string }[] }>("/behavior?range=53w");
	expect(await page.evaluate("document.querySelectorAll('.heat:not(.heat-0)').length")).toBe(days.length);
	expect(await textOf(page, 'section[aria-label="Errors"]')).toContain("overloaded");
	await page.hover('section[aria-label="Cost"] .u-over');
	await until(
		page,
		"!document.querySelector('section[aria-label=\"Cost\"] header').innerText.includes('in all')",
	);
	expect(chromium.errors).toEqual([]);
});

test("providers have the five hours that run now, how fast they go, and what is left of a subscription", async () => {
	const page = await chromium.open(`${host.url}#/stats/all`);
	await shown(page);
	const { blocks } = await get<{ blocks: { provider: string; isActive: boolean; cost: number }[] }>(
		"/providers?range=all",
	);
	const active = blocks.filter(({ isActive }) => isActive);
	expect(active.length).toBeGreaterThan(0);
	const rows = new Map((await rowsOf(page, "Providers")).map((row) => [row[0], row.at(-1) ?? ""]));
	for (const { provider, cost } of active) {
		expect(rows.get(provider)).toContain(money(cost));
		expect(rows.get(provider)).toMatch(/\/h, .+ by \d/);
	}
	expect((await rowsOf(page, "Subscriptions")).map((row) => row.slice(0, 3))).toEqual([
		["anthropic max", "5 hours", "38 %"],
		["anthropic max", "7 days", "0 %"],
	]);
});

test("a session opens to a timeline of its turns, found by its words", async () => {
	const page = await chromium.open(`${host.url}#/stats/all`);
	await shown(page);
	await page.waitForSelector('section[aria-label="Sessions"] tbody tr');
	await page.type(".session-search input", "Task 1:");
	await until(page, "document.querySelectorAll('section[aria-label=\"Sessions\"] tbody tr').length === 1");
	const [row = []] = await rowsOf(page, "Sessions");
	expect(row[0]).toStartWith("Task 1:");
	expect(row[3]).toBe("2");
	await page.click('section[aria-label="Sessions"] tbody button');
	await until(page, "document.querySelectorAll('.timeline .span').length === 5");
	const spans = (await page.evaluate(
		"[...document.querySelectorAll('.timeline .span')].map((span) => span.innerText.replaceAll('\\n', ' '))",
	)) as string[];
	expect(spans[0]).toMatch(/^\+0s? user Task 1:/);
	expect(spans.filter((span) => /\d s, .*tokens, \$/.test(span))).toHaveLength(2);
	expect(spans.filter((span) => /\d\d ms$/.test(span.trim()))).toHaveLength(2);
	expect(await axeFindings(page, { within: ".timeline-dialog" })).toEqual([]);
	await page.keyboard.press("Escape");
	await until(page, "!document.querySelector('.timeline-dialog')");
	expect(chromium.errors).toEqual([]);
});

test("a table is saved as CSV, as the terminal prints it", async () => {
	const page = await chromium.open(`${host.url}#/stats/all`);
	await shown(page);
	const downloads = mkdtempSync(join(home, "downloads-"));
	const session = await page.createCDPSession();
	await session.send("Browser.setDownloadBehavior", {
		behavior: "allow",
		browserContextId: page.browserContext().id ?? "",
		downloadPath: downloads,
		eventsEnabled: true,
	});
	const saved = Promise.withResolvers<void>();
	session.on("Browser.downloadProgress", ({ state }) => state === "completed" && saved.resolve());
	await page.select(".csv-menu select", "model");
	await saved.promise;
	const csv = await answer(new Request("http://127.0.0.1/api/stats/csv?by=model&range=all"));
	expect(readFileSync(join(downloads, "tau-usage-by-model.csv"), "utf8")).toBe(await csv.text());
});

test("regression: a chart of one day says which day that is", async () => {
	const timestamp = new Date(2026, 10, 18).getTime();
	host.routes["GET /api/stats"] = async () => {
		const { costSeries, timeSeries, ...rest } = await get<Record<string, object[]>>("?range=all");
		const first = (points: object[] = []): object[] =>
			points.slice(0, 1).map((point) => ({ ...point, timestamp }));
		return { ...rest, costSeries: first(costSeries), timeSeries: first(timeSeries) };
	};
	const page = await chromium.open("about:blank");
	await page.evaluateOnNewDocument(`{
		globalThis.drawn = [];
		const { fillText } = CanvasRenderingContext2D.prototype;
		CanvasRenderingContext2D.prototype.fillText = function (text, ...at) { drawn.push(text); return fillText.call(this, text, ...at); };
	}`);
	await page.goto(`${host.url}#/stats/all`);
	await shown(page);
	await until(page, "drawn.length > 0");
	const days = (await page.evaluate("drawn.filter((text) => /^[A-Z][a-z]+ \\d+$/.test(text))")) as string[];
	expect([...new Set(days)]).toEqual(["Nov 18"]);
	host.routes["GET /api/stats"] = answer;
});

test("models without a price are N/A, and a range that nobody knows says so", async () => {
	const page = await chromium.open(`${host.url}#/stats/soon`);
	await untilText(page, "range soon: write 24h, 7d, 30d, today or all.");
	const free = { totalRequests: 2, unpricedRequests: 2, totalCost: 0, estimatedCost: 0 };
	host.routes["GET /api/stats"] = async () => {
		const { overall, ...rest } = await get<Whole>("?range=all");
		return { ...rest, overall: { ...overall, ...free }, costSeries: [] };
	};
	const other = await chromium.open(`${host.url}#/stats/all`);
	await untilText(other, "N/A", ".usage-cards");
	expect(await textOf(other, 'section[aria-label="Cost"]')).toContain("N/A in all");
	host.routes["GET /api/stats"] = answer;
	// The refusal of the range is the only error that a console has.
	expect(chromium.errors.splice(0).filter((error) => !error.includes("400"))).toEqual([]);
});

test.each([
	["light", 1280],
	["dark", 1280],
	["light", 360],
	["dark", 360],
] as const)(
	"%s, %d px wide: axe finds nothing serious, and nothing is wider or longer than the page",
	async (theme, width) => {
		const page = await chromium.open(`${host.url}#/stats`, { width, height: 800, theme });
		await shown(page);
		expect(await seriousFindings(page, { isContrastOnly: theme === "dark" })).toEqual([]);
		expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
		// Regression: a hidden label below the fold let a phone scroll to an empty page.
		expect(await page.evaluate("document.documentElement.scrollHeight > innerHeight")).toBe(false);
	},
	180_000,
);

test("tau stats in a terminal prints the summary and a link to the page, which is let in and keeps the range", async () => {
	await using tau = await launchLocal({
		steps: [{ answer: { blocks: [{ text: "Done." }], usage: { input: 3000, output: 50 } } }],
	});
	expect((await tau.run(["-p", "hi"])).code).toBe(0);
	const args = ["stats", "--since", "7d", "--port", "0", "--no-open"];
	await using terminal = new OpenTau(tau, { home: tau, anyModel: true, args, cols: 200 });
	expect(await terminal.exited).toBe(0);
	expect(terminal.bytes).toContain("Usage in the last 7d");
	const [link = ""] = /http:\S+/.exec(terminal.bytes) ?? [];
	expect(link).toEndWith("&to=stats/7d");
	const page = await chromium.open(link);
	await shown(page);
	expect(await page.evaluate("location.hash")).toBe("#/stats/7d");
	expect(await textOf(page, '.range-switch [aria-pressed="true"]')).toBe("7 days");
	expect(await textOf(page, ".usage-cards")).toContain("3k in, 50 out");
	const [model = []] = await rowsOf(page, "Models");
	expect(model.slice(0, 3)).toEqual(["played-1 played", money(0.00975), "1"]);
	// The answer is the real server's, under its content security policy.
	expect(chromium.errors).toEqual([]);
	const { out } = await tau.run(["stats", "--since", "7d"]);
	expect(out).toContain("Usage in the last 7d");
	expect(out).not.toContain("http:");
});

/** Statistics as text for a terminal. */
import type { Database } from "bun:sqlite";

import { localDate, money, plural, shortenHome, tokens } from "@tau/utils";
import { columns } from "@tau/utils/text-table";

import { aggregated, series, tokensOf, type AggregatedStats } from "../query/dashboard.ts";
import type { Range } from "../query/range.ts";
import { startOfDay } from "../query/range.ts";
import { divide, readUsage, sumsBy, total, type Row, type Sums } from "../query/sums.ts";
import { toolStats } from "../query/tools.ts";
import { costOrNone, days, tableBy, type TableDivision } from "./table.ts";

/** Rows of each part. */
const listed = 10;
const sparkColumns = 60;
const dayMs = 24 * 3_600_000;
const bars = "▁▂▃▄▅▆▇█";

/** Cells that follow each other are laid out in columns. */
type SummaryLine = string | readonly string[];

/** Everything at a glance. */
export function summaryLines(database: Database, range: Range, since: string): string[] {
	return laidOut(summary(database, range, since === "all" ? "of all sessions" : rangeTitle(since)));
}

function rangeTitle(since: string): string {
	if (since === "today") return "today";
	return /^\d+[hdwmy]$/.test(since) ? `in the last ${since}` : `since ${since}`;
}

function laidOut(lines: readonly SummaryLine[]): string[] {
	const shown: string[] = [];
	let rows: string[][] = [];
	for (const line of [...lines, ""]) {
		if (typeof line !== "string") rows.push([...line]);
		else {
			shown.push(...columns(rows), line);
			rows = [];
		}
	}
	return shown.slice(0, -1);
}

function summary(database: Database, range: Range, title: string): SummaryLine[] {
	const rows = readUsage(database, range, "day");
	const sums = total(rows);
	if (sums.answers === 0) return [`No usage ${title}.`];
	const perDay = filledDays(series(rows, []), range);
	return [
		`Usage ${title}`,
		...overallLines(aggregated(sums), sums),
		...dayLines(perDay),
		"",
		"By model",
		...usageRows(
			divide(rows, ["provider", "model"]),
			({ provider, model }) => `${provider}/${model}`,
			"model",
		),
		"",
		"By project",
		...usageRows(divide(rows, ["project"]), ({ project }) => shortenHome(project) || "(unknown)", "project"),
		...toolLines(database, range),
	];
}

/** A line of bars says something from the second day on, and costs where there are any. */
function dayLines(perDay: readonly { hour: number; cost: number; answers: number }[]): SummaryLine[] {
	const [first, last] = [perDay[0], perDay.at(-1)];
	if (!first || !last || perDay.length < 2) return [];
	const costs = perDay.map(({ cost }) => cost);
	return [
		...(costs.some((cost) => cost > 0) ? [["  cost per day", sparkline(costs)]] : []),
		["  requests per day", sparkline(perDay.map(({ answers }) => answers))],
		["", `${localDate(new Date(first.hour))} to ${localDate(new Date(last.hour))}`],
	];
}

/** One table of `--by`. */
export function tableLines(database: Database, range: Range, by: TableDivision): string[] {
	return laidOut(tableRows(database, range, by));
}

function tableRows(database: Database, range: Range, by: TableDivision): SummaryLine[] {
	switch (by) {
		case "model":
			return usageRows(
				sumsBy(database, range, ["provider", "model"]),
				({ provider, model }) => `${provider}/${model}`,
			);
		case "project":
			return usageRows(
				sumsBy(database, range, ["project"]),
				({ project }) => shortenHome(project) || "(unknown)",
			);
		case "agent":
			return usageRows(
				sumsBy(database, range, ["agent", "role"]),
				({ agent, role }) => `${agent || "main"}  ${role}`,
			);
		case "day":
			return usageRows(days(database, range), ({ hour }) => localDate(new Date(hour)));
		case "tool":
			return toolRows(database, range, Infinity);
	}
}

/** The same with numbers for programs. */
export function tableJson(
	database: Database,
	range: Range,
	by: TableDivision,
): Record<string, string | number | null>[] {
	const { columns: names, rows } = tableBy(database, range, by);
	return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? null])));
}

function overallLines(stats: AggregatedStats, sums: Sums): SummaryLine[] {
	const cost = costOrNone(sums);
	const saved = `saved ${percent(stats.cacheSavings)}; misses cost ${money(stats.cacheMissCost)}`;
	const marks = [
		stats.estimatedCost > 0 ? `of it ${money(stats.estimatedCost)} estimated: paid by subscriptions` : "",
		stats.unpricedRequests > 0 ? `${plural(stats.unpricedRequests, "request")} without a price` : "",
	].filter((mark) => mark !== "");
	const speed = [
		stats.avgTtft === null ? "" : `first token ${seconds(stats.avgTtft)}`,
		stats.avgDuration === null ? "" : `answer ${seconds(stats.avgDuration)}`,
		stats.avgTokensPerSecond === null ? "" : `${stats.avgTokensPerSecond.toFixed(1)} tokens/s`,
	].filter((part) => part !== "");
	return [
		["  cost", [cost === null ? "N/A" : money(cost), ...marks].join("; ")],
		["  requests", `${stats.totalRequests.toLocaleString("en-US")}, ${percent(stats.errorRate)} failed`],
		[
			"  tokens",
			`${tokens(sums.input)} in, ${tokens(sums.output)} out, ${tokens(sums.cacheRead)} from cache, ${tokens(sums.cacheWrite)} to cache`,
		],
		["  cache", [`${percent(stats.cacheRate)} hit`, ...(cost === null ? [] : [saved])].join(", ")],
		...(speed.length === 0 ? [] : [["  speed", speed.join(", ")]]),
	];
}

function usageRows<R extends Sums>(
	rows: readonly R[],
	name: (row: R) => string,
	/** Where the others are; without it all are shown. */
	more?: TableDivision,
): SummaryLine[] {
	const shown = more ? rows.slice(0, listed) : rows;
	return [
		...shown.map((row) => [
			`  ${name(row)}`,
			costText(row),
			plural(row.answers, "request"),
			row.failed > 0 ? `${percent(row.failed / row.answers)} failed` : "",
			`${tokens(tokensOf(row))} tokens`,
		]),
		...(rows.length > shown.length ? [`  … ${rows.length - shown.length} more: tau stats --by ${more}`] : []),
	];
}

/** `~` marks what a subscription paid; N/A is what has no price. */
function costText(row: Sums): string {
	const cost = costOrNone(row);
	if (cost === null) return "N/A";
	return `${row.estimate > 0 ? "~" : ""}${money(cost)}${row.unpriced > 0 ? " + N/A" : ""}`;
}

function toolLines(database: Database, range: Range): SummaryLine[] {
	const rows = toolRows(database, range, listed);
	return rows.length === 0 ? [] : ["", "Tools", ...rows];
}

function toolRows(database: Database, range: Range, most: number): SummaryLine[] {
	return toolStats(database, range)
		.slice(0, most)
		.map(({ tool, calls, errors, errorRate, avgDuration }) => [
			`  ${tool}`,
			plural(calls, "call"),
			errors > 0 ? `${percent(errorRate)} failed` : "",
			avgDuration === null ? "" : `${seconds(avgDuration)} each`,
		]);
}

/** Days without usage are part of the line; a line of all times begins with the first use. */
function filledDays(
	found: readonly Row<"hour">[],
	range: Range,
): { hour: number; cost: number; answers: number }[] {
	const byDay = new Map(found.map((row) => [row.hour, row]));
	const first = Math.max(startOfDay(range.from), found[0]?.hour ?? 0);
	const filled: { hour: number; cost: number; answers: number }[] = [];
	// Noon, because a day may have 23 or 25 hours.
	for (let noon = first + dayMs / 2; startOfDay(noon) <= startOfDay(Date.now()); noon += dayMs) {
		const hour = startOfDay(noon);
		const { cost = 0, answers = 0 } = byDay.get(hour) ?? {};
		filled.push({ hour, cost, answers });
	}
	return filled;
}

function percent(share: number): string {
	return `${(share * 100).toFixed(1).replace(/\.0$/, "")} %`;
}

function seconds(ms: number): string {
	return `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s`;
}

/** A row of bars. Zero is a blank. With more numbers than columns, those beside each other are added up. */
function sparkline(values: readonly number[]): string {
	const width = Math.min(values.length, sparkColumns);
	const cells = Array.from({ length: width }, (_, index) => {
		const from = Math.floor((index * values.length) / width);
		const to = Math.floor(((index + 1) * values.length) / width);
		return values.slice(from, to).reduce((sum, value) => sum + value, 0);
	});
	const most = cells.reduce((highest, cell) => Math.max(highest, cell), 0);
	return cells.map((cell) => (cell <= 0 || most === 0 ? " " : barOf(cell / most))).join("");
}

function barOf(share: number): string {
	return bars[Math.min(bars.length - 1, Math.floor(share * bars.length))] ?? " ";
}

/** Adds up the hours of the index, divided by whatever is asked for. */
import type { Database } from "bun:sqlite";

import { sources } from "../event.ts";
import { dimRoom, hourMs } from "../index/tally.ts";
import { nanosPerDollar } from "../lines/usage-line.ts";
import { pricesOf } from "../scan/prices.ts";
import { startOfDay, type Range } from "./range.ts";

export type Division = "source" | "provider" | "model" | "project" | "role" | "agent" | "hour";

/** Sums of answers; costs in dollars. */
export interface Sums {
	answers: number;
	failed: number;
	/** Answers of models without a price; they are in no cost. */
	unpriced: number;
	input: number;
	output: number;
	cacheRead: number;
	cacheWrite: number;
	cost: number;
	costInput: number;
	costOutput: number;
	costRead: number;
	costWrite: number;
	/** The part of the cost that a subscription paid. */
	estimate: number;
	/** What the same input would have cost without a cache. */
	uncached: number;
	/** What the input that was not in the cache cost more than from the cache. */
	missed: number;
	ms: number;
	timed: number;
	timedOutput: number;
	ttft: number;
	ttftTimed: number;
	firstHour: number;
	lastHour: number;
}

export type Row<D extends Division> = Sums & { [K in D]: K extends "hour" ? number : string };

/** What the index has in a range, by the parts of the index and by hour, day or not at all: read once, divided in many ways. */
export interface UsageRows {
	unit: Unit;
	/** The time bucket, the dimension, the sums of `summed`, the first and the last hour. */
	rows: readonly (readonly number[])[];
	words: ReadonlyMap<number, UsageWords>;
}

type UsageWords = Readonly<Record<Exclude<Division, "hour">, string>>;

export type Unit = "hour" | "day" | "all";

/** Grouped by numbers: words in the groups would take SQLite ten times as long. */
export function readUsage(database: Database, range: Range, unit: Unit = "all"): UsageRows {
	const from = Math.floor(range.from / hourMs);
	const to = Math.floor(range.to / hourMs);
	const bucket = unit === "hour" ? "hour" : unit === "day" ? dayNumber(database, from, to) : "0";
	const sums = summed.map((name) => `sum(${name})`).join(", ");
	const rows = database
		.query<unknown, [number, number]>(
			`SELECT ${bucket} AS bucket, dim, ${sums}, min(hour), max(hour) FROM hours WHERE hour BETWEEN ? AND ? GROUP BY bucket, dim`,
		)
		.values(from, to) as number[][];
	const dims = database
		.query<Record<Exclude<Division, "hour" | "source">, string> & { id: number; source: number }, []>(
			"SELECT * FROM dim_words",
		)
		.all();
	const words = new Map(dims.map((dim) => [dim.id, { ...dim, source: sources[dim.source] ?? "" }]));
	return { unit, rows, words };
}

/** Counts days where the user is; summer time begins and ends inside of most ranges. */
function dayNumber(database: Database, from: number, to: number): string {
	// One by one: SQLite finds either in the order of the hours, and reads all of them for both.
	const hour = (end: "min" | "max"): number =>
		database
			.query<{ hour: number | null }, [number, number]>(
				`SELECT ${end}(hour) AS hour FROM hours WHERE hour BETWEEN ? AND ?`,
			)
			.get(from, to)?.hour ?? 0;
	const last = hour("max");
	let at = hour("min");
	const branches: string[] = [];
	for (let next = at + 24; at < last; next += 24) {
		if (minutesAhead(next) !== minutesAhead(at)) {
			let change = next;
			while (minutesAhead(change - 1) === minutesAhead(next)) change--;
			branches.push(`WHEN hour < ${change} THEN ${minutesAhead(at)}`);
		}
		at = next;
	}
	const offset = branches.length === 0 ? "" : `CASE ${branches.join(" ")} ELSE ${minutesAhead(at)} END`;
	return `(hour * 60 + ${offset || minutesAhead(at)}) / 1440`;
}

/** How far the clock of the user is ahead of UTC. */
function minutesAhead(hour: number): number {
	return -new Date(hour * hourMs).getTimezoneOffset();
}

/** Largest cost first; `hour` is the time at which the hour or the day begins. */
export function divide<const D extends Division>(usage: UsageRows, by: readonly D[]): Row<D>[] {
	const divided = new Map<string, Row<D>>();
	const starts = new Map<number, number>();
	// What a cache saves depends on the prices of each model.
	for (const { bucket, dim, totals } of byModel(usage, by)) {
		const words = usage.words.get(dim);
		const valueOf = (name: Division): string | number => {
			if (name !== "hour") return words?.[name] ?? "";
			const start = starts.get(bucket) ?? startOf(usage.unit, totals[first] ?? 0);
			starts.set(bucket, start);
			return start;
		};
		const values = by.map(valueOf);
		const key = values.join("\n");
		let row = divided.get(key);
		if (!row) {
			row = { ...nothing } as Row<D>;
			for (let at = 0; at < by.length; at++) Object.assign(row, { [by[at] ?? ""]: values[at] });
			divided.set(key, row);
		}
		addTo(row, totals, words);
	}
	return [...divided.values()].toSorted((a, b) => b.cost - a.cost || b.answers - a.answers);
}

interface Group {
	bucket: number;
	/** One of the dimensions that the group has. */
	dim: number;
	/** By the columns of `summed`, then the first and the last hour. */
	totals: number[];
}

function byModel(usage: UsageRows, by: readonly Division[]): Iterable<Group> {
	const inner = [...new Set<Division>([...by, "provider", "model"])].filter((name) => name !== "hour");
	const numbers = new Map<string, number>();
	const groupOf = new Map<number, number>();
	for (const [id, dim] of usage.words) {
		const key = inner.map((name) => dim[name]).join("\n");
		const number = numbers.get(key) ?? numbers.size;
		numbers.set(key, number);
		groupOf.set(id, number);
	}
	return grouped(usage.rows, (dim) => groupOf.get(dim) ?? numbers.size, by.includes("hour"));
}

/** The same without time, which is much shorter: for all divisions but those by hour. */
export function withoutTime({ rows, words }: UsageRows): UsageRows {
	const groups = grouped(rows, (dim) => dim, false);
	return { unit: "all", rows: Array.from(groups, ({ dim, totals }) => [0, dim, ...totals]), words };
}

function grouped(
	rows: UsageRows["rows"],
	groupOf: (dim: number) => number,
	hasBuckets: boolean,
): Iterable<Group> {
	const groups = new Map<number, Group>();
	for (const row of rows) {
		const [bucket = 0, dim = 0] = row;
		const key = (hasBuckets ? bucket * dimRoom : 0) + groupOf(dim);
		const totals = groups.get(key)?.totals;
		if (!totals) {
			groups.set(key, { bucket, dim, totals: row.slice(beforeSums) });
			continue;
		}
		for (let at = 0; at < first; at++) totals[at] = (totals[at] ?? 0) + (row[beforeSums + at] ?? 0);
		totals[first] = Math.min(totals[first] ?? 0, row[beforeSums + first] ?? 0);
		totals[last] = Math.max(totals[last] ?? 0, row[beforeSums + last] ?? 0);
	}
	return groups.values();
}

function startOf(unit: Unit, hour: number): number {
	return unit === "day" ? startOfDay(hour * hourMs) : hour * hourMs;
}

/** One division, where no other is needed. */
export function sumsBy<const D extends Division>(
	database: Database,
	range: Range,
	by: readonly D[],
): Row<D>[] {
	return divide(readUsage(database, range, by.some((name) => name === "hour") ? "hour" : "all"), by);
}

/** The sum of everything. */
export function total(rows: UsageRows): Sums {
	return divide(rows, [])[0] ?? { ...nothing };
}

const counted = [
	"answers",
	"failed",
	"unpriced",
	"input",
	"output",
	"cacheRead",
	"cacheWrite",
	"ms",
	"timed",
	"timedOutput",
	"ttft",
	"ttftTimed",
] as const;
const paid = ["costInput", "costOutput", "costRead", "costWrite", "estimate"] as const;
const derived = ["cost", "uncached", "missed"] as const;
const times = ["firstHour", "lastHour"] as const;
/** The columns that are read, and where the first and the last hour are behind them. */
const summed = [...counted, ...paid, "fees"] as const;
const first = summed.length;
const last = first + 1;
/** Before them are the bucket and the dimension. */
const beforeSums = 2;

const nothing = Object.fromEntries(
	[...counted, ...paid, ...derived, ...times].map((name) => [name, 0]),
) as unknown as Sums;

/** The sums of both; everything else is that of the first. */
export function added<T extends Sums>(a: T, b: Sums): T {
	const sum = { ...a };
	for (const name of [...counted, ...paid, ...derived]) (sum as Sums)[name] += b[name];
	sum.firstHour = Math.min(a.firstHour, b.firstHour);
	sum.lastHour = Math.max(a.lastHour, b.lastHour);
	return sum;
}

function addTo(sums: Sums, totals: readonly number[], words: UsageWords | undefined): void {
	for (let at = 0; at < counted.length; at++) sums[counted[at] ?? "answers"] += totals[at] ?? 0;
	let nanos = totals[first - 1] ?? 0;
	for (let at = 0; at < paid.length; at++) {
		const name = paid[at] ?? "estimate";
		const value = totals[counted.length + at] ?? 0;
		sums[name] += value / nanosPerDollar;
		if (name !== "estimate") nanos += value;
	}
	sums.cost += nanos / nanosPerDollar;
	addCache(sums, totals, words);
	const [begin, end] = [(totals[first] ?? 0) * hourMs, (totals[last] ?? 0) * hourMs];
	sums.firstHour = sums.firstHour === 0 ? begin : Math.min(sums.firstHour, begin);
	sums.lastHour = Math.max(sums.lastHour, end);
}

/** By the prices that were paid, or by the public ones where one of the two was not used. */
function addCache(sums: Sums, totals: readonly number[], words: UsageWords | undefined): void {
	const of = (name: (typeof summed)[number]): number => totals[summed.indexOf(name)] ?? 0;
	const price = (cost: number, tokens: number, known: number | undefined): number =>
		cost > 0 && tokens > 0 ? cost / nanosPerDollar / tokens : (known ?? 0) / 1e6;
	const [costInput, costRead] = [of("costInput"), of("costRead")];
	if (costInput + costRead + of("costWrite") === 0) return;
	const needsPublic = costInput === 0 || costRead === 0;
	const known = needsPublic && words ? pricesOf(words.provider, words.model) : undefined;
	const [uncached, cached] = [of("input"), of("cacheRead")];
	const input = price(costInput, uncached, known?.input);
	const read = price(costRead, cached, known?.cacheRead);
	if (input === 0) return;
	sums.uncached += (uncached + cached + of("cacheWrite")) * input;
	if (read > 0) sums.missed += uncached * Math.max(0, input - read);
}

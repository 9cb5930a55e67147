/** Adds up the hours of the index, divided by whatever is asked for. */
import type { Database } from "bun:sqlite";

import { sources } from "../event.ts";
import { hourMs } from "../index/tally.ts";
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
	const { first, last } = database
		.query<{ first: number | null; last: number | null }, [number, number]>(
			"SELECT min(hour) AS first, max(hour) AS last FROM hours WHERE hour BETWEEN ? AND ?",
		)
		.get(from, to) ?? { first: null, last: null };
	let at = first ?? 0;
	const branches: string[] = [];
	for (let next = at + 24; at < (last ?? 0); next += 24) {
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
export function divide<const D extends Division>(
	{ unit, rows, words }: UsageRows,
	by: readonly D[],
): Row<D>[] {
	const divided = new Map<string, Row<D>>();
	// What a cache saves depends on the prices of each model.
	for (const { dim, sums } of byModel({ unit, rows, words }, by)) {
		const wordsOf = words.get(dim);
		const valueOf = (name: Division): string | number =>
			name === "hour" ? startOf(unit, sums.firstHour) : (wordsOf?.[name] ?? "");
		const division = Object.fromEntries(by.map((name) => [name, valueOf(name)]));
		const key = Object.values(division).join("\n");
		const row = divided.get(key) ?? ({ ...nothing(), ...division } as Row<D>);
		divided.set(key, row);
		addTo(row, sums, wordsOf);
	}
	return [...divided.values()].toSorted((a, b) => b.cost - a.cost || b.answers - a.answers);
}

type Counts = Record<(typeof summed)[number] | "firstHour" | "lastHour", number>;

function byModel({ rows, words }: UsageRows, by: readonly Division[]): { dim: number; sums: Counts }[] {
	const inner = [...new Set<Division>([...by, "provider", "model"])].filter((name) => name !== "hour");
	const keys = new Map([...words].map(([id, dim]) => [id, inner.map((name) => dim[name]).join("\n")]));
	const hasHour = by.includes("hour");
	const groups = new Map<string, { dim: number; totals: number[] }>();
	for (const [bucket = 0, dim = 0, ...values] of rows) {
		const key = `${hasHour ? bucket : ""}\n${keys.get(dim) ?? ""}`;
		const known = groups.get(key)?.totals;
		if (!known) groups.set(key, { dim, totals: values });
		else {
			for (let at = 0; at < summed.length; at++) known[at] = (known[at] ?? 0) + (values[at] ?? 0);
			known[first] = Math.min(known[first] ?? 0, values[first] ?? 0);
			known[last] = Math.max(known[last] ?? 0, values[last] ?? 0);
		}
	}
	const names = [...summed, ...times];
	return [...groups.values()].map(({ dim, totals }) => ({
		dim,
		sums: Object.fromEntries(names.map((name, at) => [name, totals[at] ?? 0])) as Counts,
	}));
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
	return divide(rows, [])[0] ?? nothing();
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

function nothing(): Sums {
	const names = [...counted, ...paid, ...derived, ...times];
	return Object.fromEntries(names.map((name) => [name, 0])) as unknown as Sums;
}

/** The sums of both; everything else is that of the first. */
export function added<T extends Sums>(a: T, b: Sums): T {
	const sum = { ...a };
	for (const name of [...counted, ...paid, ...derived]) (sum as Sums)[name] += b[name];
	sum.firstHour = Math.min(a.firstHour, b.firstHour);
	sum.lastHour = Math.max(a.lastHour, b.lastHour);
	return sum;
}

function addTo(sums: Sums, row: Counts, words: UsageWords | undefined): void {
	for (const name of counted) sums[name] += row[name];
	for (const name of paid) sums[name] += row[name] / nanosPerDollar;
	const nanos = row.costInput + row.costOutput + row.costRead + row.costWrite + row.fees;
	sums.cost += nanos / nanosPerDollar;
	addCache(sums, row, words);
	const [begin, end] = [row.firstHour * hourMs, row.lastHour * hourMs];
	sums.firstHour = sums.firstHour === 0 ? begin : Math.min(sums.firstHour, begin);
	sums.lastHour = Math.max(sums.lastHour, end);
}

/** By the prices that were paid, or by the public ones where one of the two was not used. */
function addCache(sums: Sums, row: Counts, words: UsageWords | undefined): void {
	const price = (cost: number, tokens: number, known: number | undefined): number =>
		cost > 0 && tokens > 0 ? cost / nanosPerDollar / tokens : (known ?? 0) / 1e6;
	if (row.costInput + row.costRead + row.costWrite === 0) return;
	const needsPublic = row.costInput === 0 || row.costRead === 0;
	const known = needsPublic && words ? pricesOf(words.provider, words.model) : undefined;
	const input = price(row.costInput, row.input, known?.input);
	const read = price(row.costRead, row.cacheRead, known?.cacheRead);
	if (input === 0) return;
	sums.uncached += (row.input + row.cacheRead + row.cacheWrite) * input;
	if (read > 0) sums.missed += row.input * Math.max(0, input - read);
}

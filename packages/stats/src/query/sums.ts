/** Adds up the hours of the index, divided by whatever is asked for. */
import type { Database } from "bun:sqlite";

import { sources } from "../event.ts";
import { hourMs } from "../index/tally.ts";
import { nanosPerDollar } from "../lines/usage-line.ts";
import { pricesOf } from "../scan/prices.ts";
import type { Range } from "./range.ts";

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

/** Largest cost first; `hour` is the time at which it begins. */
export function sumsBy<const D extends Division>(
	database: Database,
	range: Range,
	by: readonly D[],
): Row<D>[] {
	// What a cache saves depends on the prices of each model.
	const inner = [...new Set<Division>([...by, "provider", "model"])];
	const sums = [...counted, ...paid, "fees"].map((name) => `sum(${name}) AS ${name}`);
	const times = ["min(hour) AS firstHour", "max(hour) AS lastHour"];
	const found = database
		.query<Record<string, string | number>, [number, number]>(
			`SELECT ${[...inner, ...sums, ...times].join(", ")} FROM usage WHERE hour BETWEEN ? AND ? GROUP BY ${inner.join(", ")}`,
		)
		.all(Math.floor(range.from / hourMs), Math.floor(range.to / hourMs));
	const rows = new Map<string, Row<D>>();
	for (const each of found) {
		const key = by.map((name) => each[name]).join("\n");
		const row = rows.get(key) ?? ({ ...nothing(), ...divisionOf(each, by) } as Row<D>);
		rows.set(key, row);
		addTo(row, each);
	}
	return [...rows.values()].toSorted((a, b) => b.cost - a.cost || b.answers - a.answers);
}

/** The sum of everything in the range. */
export function total(database: Database, range: Range): Sums {
	return sumsBy(database, range, [])[0] ?? nothing();
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

function divisionOf(each: Record<string, string | number>, by: readonly Division[]) {
	return Object.fromEntries(
		by.map((name) => {
			const value = each[name];
			if (name === "source") return [name, sources[Number(value)] ?? ""];
			return [name, name === "hour" ? Number(value) * hourMs : String(value)];
		}),
	);
}

function addTo(sums: Sums, row: Record<string, string | number>): void {
	const of = (name: string): number => Number(row[name]);
	for (const name of counted) sums[name] += of(name);
	for (const name of paid) sums[name] += of(name) / nanosPerDollar;
	const nanos = of("costInput") + of("costOutput") + of("costRead") + of("costWrite") + of("fees");
	sums.cost += nanos / nanosPerDollar;
	addCache(sums, row);
	const [first, last] = [of("firstHour") * hourMs, of("lastHour") * hourMs];
	sums.firstHour = sums.firstHour === 0 ? first : Math.min(sums.firstHour, first);
	sums.lastHour = Math.max(sums.lastHour, last);
}

/** By the prices that were paid, or by the public ones where one of the two was not used. */
function addCache(sums: Sums, row: Record<string, string | number>): void {
	const of = (name: string): number => Number(row[name]);
	const price = (cost: number, tokens: number, known: number | undefined): number =>
		cost > 0 && tokens > 0 ? cost / nanosPerDollar / tokens : (known ?? 0) / 1e6;
	if (of("costInput") + of("costRead") + of("costWrite") === 0) return;
	const needsPublic = of("costInput") === 0 || of("costRead") === 0;
	const known = needsPublic ? pricesOf(String(row.provider), String(row.model)) : undefined;
	const input = price(of("costInput"), of("input"), known?.input);
	const read = price(of("costRead"), of("cacheRead"), known?.cacheRead);
	if (input === 0) return;
	sums.uncached += (of("input") + of("cacheRead") + of("cacheWrite")) * input;
	if (read > 0) sums.missed += of("input") * Math.max(0, input - read);
}

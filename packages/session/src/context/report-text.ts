/** The report on the context as plain text, for clients without a screen. */
import { money, shortenHome, tokens as short } from "@tau/utils";

import type { CacheBreak } from "../run/prefix-watch.ts";
import { limits } from "./limits.ts";
import type { CachedTurn, ContextReport, ContextSource } from "./report.ts";

const causes: Readonly<Record<CacheBreak["cause"], string>> = {
	model: "another model",
	"system prompt": "a change of the system prompt",
	tools: "a change of the tools",
	compaction: "a compaction",
	"removed tool results": "removing tool results",
	"dropped items": "dropping or restoring items",
	tree: "a step in the tree",
	"changed messages": "a change of earlier messages",
};

export function contextText(report: ContextReport): string {
	const { usage, sources } = report;
	const { tokens, contextWindow, percent, exact } = usage;
	const of = contextWindow > 0 ? ` of ${short(contextWindow)} (${percent.toFixed(1)}%)` : "";
	const rows = sources.flatMap((source) => sourceRows(source, contextWindow));
	const free = contextWindow - tokens;
	if (contextWindow > 0 && free > 0) rows.push(["Free", short(free), share(free, contextWindow)]);
	return [
		`Context: ${exact ? "" : "about "}${short(tokens)} tokens${of}`,
		...aligned(rows),
		...cacheText(report),
	].join("\n");
}

/** Cache hits of the newest turns, and why requests missed, with their cost. */
function cacheText({ turns, misses, keptAlive }: ContextReport): string[] {
	const last = turns.at(-1);
	const newest = turns.slice(-limits.namedTurns).map((turn) => `${Math.round(shareCached(turn) * 100)}%`);
	return [
		...(last ? [`${Math.round(shareCached(last) * 100)}% of the last request was cached`] : []),
		...(newest.length > 1 ? [`Cached, last ${newest.length} turns: ${newest.join(" ")}`] : []),
		...[...Map.groupBy(misses, ({ cause }) => cause)].map(([cause, all]) => missText(cause, all)),
		...(keptAlive.requests > 0
			? [`Cache kept alive by ${plural(keptAlive.requests, "request")}: ${money(keptAlive.cost)}`]
			: []),
	];
}

export function shareCached({ requested, cached }: CachedTurn): number {
	return requested > 0 ? cached / requested : 0;
}

export function causeText(cause: CacheBreak["cause"]): string {
	return causes[cause];
}

function missText(cause: CacheBreak["cause"], all: readonly CacheBreak[]): string {
	const times = all.length === 1 ? "once" : `${all.length} times`;
	const cost = all.reduce((total, miss) => total + miss.cost, 0);
	const price = cost > 0 ? `, ${money(cost)} more` : "";
	return `Cache missed ${times} after ${causes[cause]}: ${short(sum(all))} tokens read again${price}`;
}

type Row = readonly [name: string, tokens: string, share: string];

function sourceRows({ name, tokens, items }: ContextSource, window: number): Row[] {
	const rows: Row[] = [[name, short(tokens), share(tokens, window)]];
	const present = items.filter(({ isDropped }) => !isDropped);
	const shown = present.length === 1 && present[0]?.name === "" ? [] : present.slice(0, limits.namedItems);
	for (const item of shown) rows.push([`  ${nameOf(item.name)}`, short(item.tokens), ""]);
	const rest = shown.length === 0 ? [] : present.slice(limits.namedItems);
	if (rest.length > 0) rows.push([`  ${rest.length} more`, short(sum(rest)), ""]);
	const dropped = items.filter(({ isDropped }) => isDropped);
	if (dropped.length > 0) rows.push([`  ${dropped.length} dropped`, `-${short(sum(dropped))}`, ""]);
	return rows;
}

function plural(count: number, one: string): string {
	return `${count} ${one}${count === 1 ? "" : "s"}`;
}

function nameOf(name: string): string {
	const shown = shortenHome(name);
	return shown.length > limits.textNameChars ? `${shown.slice(0, limits.textNameChars - 1)}…` : shown;
}

function aligned(rows: readonly Row[]): string[] {
	const widest = Math.max(0, ...rows.map(([name]) => name.length));
	return rows.map(([name, tokens, of]) =>
		`${name.padEnd(widest)}  ${tokens.padStart(6)}  ${of.padStart(5)}`.trimEnd(),
	);
}

function share(tokens: number, window: number): string {
	if (window <= 0) return "";
	const percent = (tokens / window) * 100;
	return `${percent < 10 ? percent.toFixed(1) : Math.round(percent)}%`;
}

function sum(items: readonly { tokens: number }[]): number {
	return items.reduce((total, { tokens }) => total + tokens, 0);
}

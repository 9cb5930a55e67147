/** Draws what fills the context: a bar, then the sources with their shares. */
import { progressBar, type Theme } from "@tau/tui";
import { shortenHome } from "@tau/utils";
import type { CacheBreak, ContextUsage } from "@tau/session";

import { tokens } from "../../views/format.ts";
import { aligned, plain, row } from "../kit/row.ts";
import { limits } from "../limits.ts";
import type { ContextPart } from "./context-parts.ts";

export interface ContextFacts {
	parts: readonly ContextPart[];
	usage: ContextUsage;
	cached: number | undefined;
	breaks: readonly CacheBreak[];
}

/** Parts of a part that are named; the rest is counted. */
const named = 5;

export function drawContext(
	{ parts, usage, cached, breaks }: ContextFacts,
	width: number,
	theme: Theme,
): string[] {
	const rows = [headline(usage, theme), ...bar(usage, width, theme)];
	const total = sum(parts);
	// Parts are estimated by their length; the whole is what the provider counted, and they share it.
	const scale = total > 0 && usage.tokens > 0 ? usage.tokens / total : 1;
	const whole = usage.contextWindow > 0 ? usage.contextWindow : total * scale;
	for (const part of parts) {
		rows.push(partRow(part.name, part.tokens * scale, whole, width, theme));
		const shown = part.parts.slice(0, named);
		rows.push(...shown.map((each) => subRow(each.name, each.tokens * scale, width, theme)));
		const rest = part.parts.slice(named);
		if (rest.length > 0) rows.push(subRow(`${rest.length} more`, sum(rest) * scale, width, theme));
	}
	const free = usage.contextWindow - total * scale;
	if (free > 0) rows.push(partRow("Free", free, whole, width, theme, "muted"));
	if (cached !== undefined)
		rows.push(theme.fg("dim", `${Math.round(cached * 100)}% of the last request was cached`));
	return aligned([...rows.slice(0, Math.max(limits.reportRows, parts.length + 5)), ...missed(breaks, theme)]);
}

/** Why the cache could not answer requests, and what the provider read again for it. */
function missed(breaks: readonly CacheBreak[], theme: Theme): string[] {
	const byCause = [...Map.groupBy(breaks, ({ cause }) => cause)];
	return byCause.map(([cause, all]) => {
		const times = all.length === 1 ? "once" : `${all.length} times`;
		return theme.fg(
			"dim",
			`Cache missed ${times} after ${causes[cause]}: ${tokens(sum(all))} tokens read again`,
		);
	});
}

const causes: Readonly<Record<CacheBreak["cause"], string>> = {
	model: "another model",
	"system prompt": "a change of the system prompt",
	tools: "a change of the tools",
	compaction: "a compaction",
	"removed tool results": "removing tool results",
	"changed messages": "a change of earlier messages",
};

function headline({ tokens: used, contextWindow, percent, exact }: ContextUsage, theme: Theme): string {
	const about = exact ? "" : "about ";
	const of = contextWindow > 0 ? ` of ${tokens(contextWindow)} (${percent.toFixed(1)}%)` : "";
	return theme.bold(`Context: ${about}${tokens(used)} tokens${of}`);
}

function bar({ percent, contextWindow }: ContextUsage, width: number, theme: Theme): string[] {
	if (contextWindow <= 0) return [];
	const color = percent > 90 ? "error" : percent > 70 ? "warning" : "success";
	const filled = (text: string): string => theme.fg(color, text);
	return [progressBar(percent / 100, Math.min(60, width), filled, (text) => theme.fg("dim", text))];
}

function partRow(
	name: string,
	count: number,
	total: number,
	width: number,
	theme: Theme,
	color: "accent" | "muted" = "accent",
): string {
	const percent = total > 0 ? (count / total) * 100 : 0;
	const share = total > 0 ? `${percent < 10 ? percent.toFixed(1) : Math.round(percent)}%` : "";
	const columns = [
		{ text: tokens(count), width: 6, align: "right" as const },
		{ text: share, width: 5, align: "right" as const, paint: (text: string) => theme.fg("muted", text) },
	];
	return row(name, columns, Math.min(width, 60), (text) => theme.fg(color, text));
}

function subRow(name: string, count: number, width: number, theme: Theme): string {
	const dim = (text: string): string => theme.fg("muted", text);
	const columns = [
		{ text: tokens(count), width: 6, align: "right" as const, paint: dim },
		{ text: "", width: 5 },
	];
	return row(`  ${plain(shortenHome(name))}`, columns, Math.min(width, 60), dim);
}

function sum(parts: readonly { tokens: number }[]): number {
	return parts.reduce((total, part) => total + part.tokens, 0);
}

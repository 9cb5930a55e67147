/** What fills the model's context, by source, and how well the provider's cache could answer. */
import { tokensIn } from "@tau/agent";

import type { ContextUsage } from "../run/context-usage.ts";
import type { CacheBreak } from "../run/prefix-watch.ts";
import type { ToolEntry } from "../run/session-tools.ts";
import type { TurnUsage } from "../run/usage-ledger.ts";
import { limits } from "./limits.ts";
import type { SourceName } from "./message-parts.ts";
import { systemParts, type NamedText } from "./system-parts.ts";

export interface ContextItem {
	/** Names it in `inspect`, `drop` and `restore`. */
	id: string;
	name: string;
	/** By estimate; of a dropped item, what it would take. */
	tokens: number;
	isDropped: boolean;
	canDrop: boolean;
}

export interface ContextSource {
	name: SourceName;
	/** Without what is dropped. */
	tokens: number;
	/** The largest first. */
	items: readonly ContextItem[];
}

/** How much of a request came from the cache. */
export interface CachedTurn {
	model: string;
	/** Tokens of the request. */
	requested: number;
	cached: number;
	/** US dollars, with the answer. */
	cost: number;
}

export interface ContextReport {
	usage: ContextUsage;
	/** The largest first; together they are what `usage` counts. */
	sources: readonly ContextSource[];
	/** The newest turns, oldest first. */
	turns: readonly CachedTurn[];
	/** Requests that the cache could not answer from their beginning on, oldest first. */
	misses: readonly CacheBreak[];
	/** Requests that kept the conversation in the cache while tools ran, and what they cost in US dollars. */
	keptAlive: { requests: number; cost: number };
}

/** An item with the text that the user inspects. */
export interface SourceItem extends ContextItem {
	source: SourceName;
	text: string;
}

/** The items of everything that comes before the conversation. */
export function headItems(systemPrompt: string, tools: readonly ToolEntry[]): SourceItem[] {
	const { text, instructions, rules, skills } = systemParts(systemPrompt);
	const of = (source: SourceName, kind: string, parts: readonly NamedText[]): SourceItem[] =>
		parts.map((part) => ({ ...textItem(source, `${kind}/${part.name}`, part), canDrop: false }));
	return [
		...of("System prompt", "system", [{ name: "", text }]),
		...of("Instructions", "instructions", instructions),
		...of("Rules", "rules", rules),
		...of("Skills", "skills", skills),
		...tools.flatMap(toolItem),
	];
}

/** A tool that only the user has switched off is shown as dropped; what others hide is not the user's choice. */
function toolItem({ tool, source, hiddenBy, isDeferred }: ToolEntry): SourceItem[] {
	if (isDeferred || hiddenBy.some((layer) => layer !== "user")) return [];
	const { name, description, parameters } = tool;
	const server = source.startsWith("mcp:") ? source.slice("mcp:".length) : undefined;
	const text = `${name}\n${description}\n${JSON.stringify(parameters, null, 2)}`;
	const chars = name.length + description.length + JSON.stringify(parameters).length;
	return [
		{
			...textItem(server === undefined ? "Tools" : `MCP: ${server}`, `tools/${name}`, { name, text }),
			tokens: Math.ceil(tokensIn(chars)),
			isDropped: hiddenBy.length > 0,
		},
	];
}

function textItem(source: SourceName, id: string, { name, text }: NamedText): SourceItem {
	const tokens = Math.ceil(tokensIn(text.length));
	return { source, id, name, text, tokens, isDropped: false, canDrop: true };
}

/** Items are estimated by their length; the provider has counted the whole, and they share it. */
export function sourcesOf(items: readonly SourceItem[], counted: number): ContextSource[] {
	const present = items.filter(({ isDropped }) => !isDropped);
	const total = sum(present);
	const scale = total > 0 && counted > 0 ? counted / total : 1;
	return [...Map.groupBy(items, ({ source }) => source)]
		.map(([name, own]): ContextSource => ({
			name,
			tokens: Math.round(sum(own.filter(({ isDropped }) => !isDropped)) * scale),
			items: own
				.toSorted((a, b) => b.tokens - a.tokens)
				.map(({ id, name: shown, tokens, isDropped, canDrop }) => ({
					id,
					name: shown,
					tokens: Math.round(tokens * scale),
					isDropped,
					canDrop,
				})),
		}))
		.filter(({ tokens, items: own }) => tokens > 0 || own.some(({ isDropped }) => isDropped))
		.toSorted((a, b) => b.tokens - a.tokens);
}

export function cachedTurns(turns: readonly TurnUsage[]): CachedTurn[] {
	return turns.slice(-limits.reportedTurns).flatMap(({ provider, model, usage }) => {
		const requested = usage.input + usage.cacheRead + usage.cacheWrite;
		const cost = usage.cost.total;
		return requested > 0 ? [{ model: `${provider}/${model}`, requested, cached: usage.cacheRead, cost }] : [];
	});
}

function sum(items: readonly { tokens: number }[]): number {
	return items.reduce((total, { tokens }) => total + tokens, 0);
}

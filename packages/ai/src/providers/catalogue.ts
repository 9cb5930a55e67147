/**
 * The built-in models: facts from the data file, joined with the row of their provider. Only the requested ones are
 * parsed.
 */
import { readFileSync } from "node:fs";

import dataFile from "../data/models.jsonl" with { type: "file" };
import type { Compat, Model, Prices, ThinkingLevelMap } from "../types.ts";
import type { Provider } from "./provider.ts";
import { providers } from "./table.ts";

/** A line of the data file. Omitted facts come from the provider's row, or from the name. */
export interface CatalogueEntry {
	provider: string;
	id: string;
	name: string;
	api?: string;
	baseUrl?: string;
	/** The model does not think. */
	plain?: true;
	/** The model accepts no images. */
	blind?: true;
	/** The model accepts audio. */
	hears?: true;
	/** Input, output, cache read and cache write, in dollars per million tokens. */
	cost: readonly [input: number, output: number, cacheRead: number, cacheWrite: number];
	/** The same for long requests, each after the number of tokens that the input has to exceed. */
	tiers?: readonly (readonly [
		above: number,
		input: number,
		output: number,
		cacheRead: number,
		cacheWrite: number,
	])[];
	contextWindow: number;
	maxTokens: number;
	levels?: ThinkingLevelMap;
	compat?: Compat;
	promotion?: string;
}

/** The first line of the data file. */
export interface CatalogueOrigin {
	/** The day on which it was generated. */
	date: string;
	source: string;
	version: string;
}

let text: string | undefined;
/** Where the lines of each provider are. */
let ranges: ReadonlyMap<string, { start: number; end: number }> | undefined;

/** All of them in the order of the table, or those of one provider. The first of a provider is its default. */
export function builtinModels(only?: string): Model[] {
	return providers
		.filter(({ id }) => only === undefined || id === only)
		.flatMap((provider) => lines(provider.id).map((line) => expand(provider, JSON.parse(line))));
}

export function catalogueOrigin(): CatalogueOrigin {
	const all = read();
	return JSON.parse(all.slice(0, all.indexOf("\n")));
}

/** The lines of a provider are adjacent, so finding them takes no parsing. */
function lines(provider: string): string[] {
	ranges ??= rangesIn(read());
	const range = ranges.get(provider);
	return range ? read().slice(range.start, range.end).split("\n") : [];
}

/** One pass for all providers: a search from both ends for each of them takes 20 ms. */
function rangesIn(all: string): Map<string, { start: number; end: number }> {
	const found = new Map<string, { start: number; end: number }>();
	const head = `{"provider":"`;
	for (let start = all.indexOf("\n") + 1; start < all.length;) {
		const end = all.indexOf("\n", start);
		const name = start + head.length;
		const provider = all.slice(name, all.indexOf(`"`, name));
		const range = found.get(provider);
		if (range) range.end = end;
		else found.set(provider, { start, end });
		start = end + 1;
	}
	return found;
}

function read(): string {
	text ??= readFileSync(dataFile, "utf8");
	return text;
}

function expand(provider: Provider, entry: CatalogueEntry): Model {
	const tiers = entry.tiers?.map(([inputTokensAbove, ...prices]) => ({ inputTokensAbove, ...named(prices) }));
	const compat = { ...provider.compat, ...entry.compat };
	return {
		id: entry.id,
		name: entry.name,
		api: entry.api ?? provider.api,
		provider: provider.id,
		baseUrl: entry.baseUrl ?? provider.baseUrl,
		reasoning: entry.plain !== true,
		...(entry.levels ? { thinkingLevelMap: entry.levels } : {}),
		input: inputsOf(entry),
		cost: { ...named(entry.cost), ...(tiers ? { tiers } : {}) },
		contextWindow: entry.contextWindow,
		maxTokens: entry.maxTokens,
		...(provider.headers ? { headers: { ...provider.headers } } : {}),
		...(Object.keys(compat).length > 0 ? { compat } : {}),
		...(entry.promotion === undefined ? {} : { contextPromotionTarget: entry.promotion }),
	};
}

function inputsOf({ blind, hears }: CatalogueEntry): Model["input"] {
	return ["text", ...(blind ? [] : ["image" as const]), ...(hears ? ["audio" as const] : [])];
}

function named([input, output, cacheRead, cacheWrite]: CatalogueEntry["cost"]): Prices {
	return { input, output, cacheRead, cacheWrite };
}

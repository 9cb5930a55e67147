/** Prices of models whose sessions do not say what an answer cost. */
import { addCost, builtinModels, noUsage, type Model } from "@tau/ai";

import { nanos } from "../lines/usage-line.ts";

export type Tokens = readonly [input: number, output: number, cacheRead: number, cacheWrite: number];

const known = new Map<string, Model["cost"] | undefined>();

/** In nano-dollars, by the public price; undefined if there is none. */
export function priceOf(provider: string, model: string, tokens: Tokens): number[] | undefined {
	const prices = pricesOf(provider, model);
	if (!prices) return undefined;
	const [input, output, cacheRead, cacheWrite] = tokens;
	const usage = { ...noUsage(), input, output, cacheRead, cacheWrite };
	addCost(usage, prices);
	const { cost } = usage;
	return [cost.input, cost.output, cost.cacheRead, cost.cacheWrite].map(nanos).concat(0);
}

/** The public prices of a model; undefined if it has none. */
export function pricesOf(provider: string, model: string): Model["cost"] | undefined {
	const key = `${provider}/${model}`;
	if (!known.has(key)) known.set(key, look(provider, model));
	return known.get(key);
}

/** Programs write models with a date or a variant behind the name: `…-20250929`, `…[1m]`. */
function look(provider: string, model: string): Model["cost"] | undefined {
	const bare = model.replace(/\[[^\]]*\]$/, "");
	const dateless = bare.replace(/-\d{8}$|-\d{4}-\d{2}-\d{2}$|@\d{8}$/, "");
	const models = builtinModels(provider);
	const found = [model, bare, dateless].flatMap((id) => models.filter((each) => each.id === id))[0];
	const cost = found?.cost;
	return cost && cost.input + cost.output > 0 ? cost : undefined;
}

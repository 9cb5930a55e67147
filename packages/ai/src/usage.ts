/** Token counts of an answer and their cost. */
import type { Model, Prices, Usage } from "./types.ts";

const tokensPerPrice = 1_000_000;

export function noUsage(): Usage {
	return {
		input: 0,
		output: 0,
		cacheRead: 0,
		cacheWrite: 0,
		totalTokens: 0,
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
	};
}

/** Updates the total and the cost of a usage from its counts. */
export function addCost(usage: Usage, prices: Model["cost"]): void {
	const input = usage.input + usage.cacheRead + usage.cacheWrite;
	usage.totalTokens = input + usage.output;
	const price = priceFor(prices, input);
	const cost = usage.cost;
	cost.input = (usage.input * price.input) / tokensPerPrice;
	cost.output = (usage.output * price.output) / tokensPerPrice;
	cost.cacheRead = (usage.cacheRead * price.cacheRead) / tokensPerPrice;
	cost.cacheWrite = (usage.cacheWrite * price.cacheWrite) / tokensPerPrice;
	cost.total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
}

/** A long request is paid by its tier as a whole, also for the tokens below the limit. */
function priceFor(base: Model["cost"], inputTokens: number): Prices {
	const reached = base.tiers?.filter(({ inputTokensAbove }) => inputTokens > inputTokensAbove) ?? [];
	return reached.toSorted((a, b) => b.inputTokensAbove - a.inputTokensAbove)[0] ?? base;
}

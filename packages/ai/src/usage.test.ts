/** What an answer costs, by the tiers of its model. */
import { expect, test } from "bun:test";

import type { Usage } from "./types.ts";
import { addCost, noUsage } from "./usage.ts";

const prices = {
	input: 1,
	output: 10,
	cacheRead: 0.1,
	cacheWrite: 1.25,
	tiers: [
		{ inputTokensAbove: 272_000, input: 2, output: 15, cacheRead: 0.2, cacheWrite: 2.5 },
		{ inputTokensAbove: 500_000, input: 4, output: 20, cacheRead: 0.4, cacheWrite: 5 },
	],
};

function costOf(counts: Partial<Usage>, of = prices): Usage["cost"] {
	const usage = { ...noUsage(), ...counts };
	addCost(usage, of);
	return usage.cost;
}

test("a request of up to the limit has the base price", () => {
	expect(costOf({ input: 272_000, output: 1_000_000 })).toMatchObject({ input: 0.272, output: 10 });
});

test("a longer one has the price of its tier as a whole, also when most of it is cached", () => {
	const cost = costOf({ input: 1000, cacheRead: 270_000, cacheWrite: 1001, output: 1_000_000 });
	expect(cost.input).toBeCloseTo(0.002, 9);
	expect(cost.cacheRead).toBeCloseTo(0.054, 9);
	expect(cost.cacheWrite).toBeCloseTo(0.0025025, 9);
	expect(cost.output).toBe(15);
	expect(cost.total).toBeCloseTo(15.0585025, 9);
});

test("the highest limit that is exceeded decides, in whatever order the tiers are listed", () => {
	const reversed = { ...prices, tiers: prices.tiers.toReversed() };
	for (const each of [prices, reversed]) expect(costOf({ input: 1_000_000 }, each).input).toBe(4);
	for (const each of [prices, reversed]) expect(costOf({ input: 300_000 }, each).input).toBeCloseTo(0.6, 9);
});

test("the output does not count for the limit", () => {
	expect(costOf({ input: 1000, output: 400_000 }).output).toBe(4);
});

/** A thinking level is mapped to one that the model has, never to one that it would refuse. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { modelAt } from "../testing/asking.ts";
import { thinkingLevels, type ThinkingLevelMap } from "../types.ts";
import { thinkingBudget, wireLevel } from "./thinking.ts";

const levels = ["minimal", "low", "medium", "high"] as const;

function modelWith(thinkingLevelMap: ThinkingLevelMap = {}, reasoning = true) {
	return modelAt("", "any", { reasoning, thinkingLevelMap });
}

describe("the name of a level", () => {
	test.each<[ThinkingLevelMap, (typeof thinkingLevels)[number] | undefined, string | undefined]>([
		[{}, "off", undefined],
		[{}, undefined, undefined],
		[{}, "minimal", "minimal"],
		[{}, "high", "high"],
		[{}, "xhigh", "high"],
		[{ off: "none" }, "off", "none"],
		[{ off: "none" }, undefined, "none"],
		[{ off: null }, "off", undefined],
		[{ minimal: "low" }, "minimal", "low"],
		[{ minimal: null }, "minimal", "low"],
		[{ medium: null }, "medium", "low"],
		[{ minimal: null, low: null, medium: null }, "low", "high"],
		[{ minimal: null, low: null, medium: null, high: null }, "xhigh", undefined],
		[{ xhigh: "xhigh", max: "max" }, "xhigh", "xhigh"],
		[{ max: "max" }, "xhigh", "high"],
		[{ max: "max" }, "max", "max"],
		[{ xhigh: "xhigh" }, "max", "xhigh"],
		[{}, "max", "high"],
		[{ xhigh: null, max: null }, "xhigh", "high"],
		[{ high: null, xhigh: "xhigh" }, "high", "medium"],
		[{ minimal: null, low: null, medium: null, high: null, xhigh: "ultra" }, "minimal", "ultra"],
	])("%j maps %p to %p", (map, level, expected) => {
		expect(wireLevel(modelWith(map), level)).toBe(expected);
	});

	test("a model that does not reason has only a name for off", () => {
		expect(wireLevel(modelWith({}, false), "high")).toBeUndefined();
		expect(wireLevel(modelWith({ high: "high", off: "none" }, false), "high")).toBe("none");
	});

	test("is from the map or the level's own, for any map", () => {
		const entry = fc.option(fc.constantFrom("none", "a", "b", null), { nil: undefined });
		const maps = fc.record(Object.fromEntries(thinkingLevels.map((level) => [level, entry])));
		fc.assert(
			fc.property(maps, fc.constantFrom(...thinkingLevels), (map, level) => {
				const wireName = wireLevel(modelWith(map), level);
				const own: readonly string[] = thinkingLevels.filter(
					(name) => name !== "xhigh" && name !== "max" && map[name] === undefined,
				);
				const none = level === "off" || levels.every((name) => map[name] === null);
				expect([...Object.values(map), ...own, ...(none ? [undefined] : [])]).toContain(wireName);
			}),
		);
	});
});

describe("the budget for a level", () => {
	test.each([
		["minimal", 50_000, 1024],
		["low", 50_000, 2048],
		["medium", 50_000, 8192],
		["high", 50_000, 16_384],
		["xhigh", 50_000, 32_768],
		["xhigh", 4000, 2976],
		["minimal", 2048, 1024],
		["minimal", 2047, undefined],
		["high", 100, undefined],
		["off", 50_000, undefined],
		[undefined, 50_000, undefined],
	] as const)("%p of %d tokens is %p", (level, maxTokens, expected) => {
		expect(thinkingBudget(modelWith(), level, {}, maxTokens)).toBe(expected);
	});

	test("is the user's, as far as the answer keeps its share", () => {
		const thinkingBudgets = { low: 300, high: 60_000, medium: 0 };
		expect(thinkingBudget(modelWith(), "low", { thinkingBudgets }, 50_000)).toBe(300);
		expect(thinkingBudget(modelWith(), "low", { thinkingBudgets }, 1300)).toBeUndefined();
		expect(thinkingBudget(modelWith(), "high", { thinkingBudgets }, 50_000)).toBe(48_976);
		expect(thinkingBudget(modelWith(), "medium", { thinkingBudgets }, 50_000)).toBeUndefined();
	});

	test("is that of the nearest level that the model has", () => {
		expect(thinkingBudget(modelWith({ medium: null, low: null }), "medium", {}, 50_000)).toBe(1024);
		expect(thinkingBudget(modelWith({ minimal: null }), "minimal", {}, 50_000)).toBe(2048);
	});

	test("is undefined for a model that does not reason", () => {
		expect(thinkingBudget(modelWith({}, false), "high", {}, 50_000)).toBeUndefined();
	});
});

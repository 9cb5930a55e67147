/** A requested thinking level becomes one that the model supports. */
import { expect, test } from "bun:test";
import { fittingLevel, levelsOf, nextLevel, type Model, type ThinkingLevel } from "@tau/ai";

import { testModel } from "../../../../test/support/session.ts";

const plain = testModel({ reasoning: true });
const picky = testModel({ reasoning: true, thinkingLevelMap: { off: null, minimal: null, max: "max" } });

const cases: [promise: string, model: Model, levels: ThinkingLevel[]][] = [
	["a model that does not reason has none", testModel(), ["off"]],
	["one that does has all up to high", plain, ["off", "minimal", "low", "medium", "high"]],
	[
		"a level that its map denies is missing, one that it names is available",
		picky,
		["low", "medium", "high", "max"],
	],
];
test.each(cases)("%s", (_, model, levels) => {
	expect(levelsOf(model)).toEqual(levels);
});

test.each([
	[plain, "xhigh", "high"],
	[plain, "max", "high"],
	[picky, "xhigh", "high"],
	[picky, "max", "max"],
	[testModel({ reasoning: true, thinkingLevelMap: { minimal: null, low: null } }), "low", "medium"],
	[plain, "low", "low"],
	[picky, "minimal", "low"],
	[testModel(), "high", "off"],
] as const)("the nearest lower level is used, else the lowest available", (model, asked, got) => {
	expect(fittingLevel(model, asked)).toBe(got);
});

test("levels cycle, and a single one does not", () => {
	expect([nextLevel(picky, "high"), nextLevel(picky, "max")]).toEqual(["max", "low"]);
	expect(nextLevel(testModel(), "off")).toBeUndefined();
});

/** What users who set environment variables can rely on. */
import { describe, expect, test } from "bun:test";
import { env, envFlag, envNumber } from "./env.ts";

describe("names", () => {
	test("Tau's own name wins over omp's, and omp's over pi's", () => {
		expect(env("TAU_X", { TAU_X: "t", OMP_X: "o", PI_X: "p" })).toBe("t");
		expect(env("TAU_X", { OMP_X: "o", PI_X: "p" })).toBe("o");
		expect(env("TAU_X", { PI_X: "p" })).toBe("p");
		expect(env("TAU_X", {})).toBeUndefined();
	});

	test("an empty variable counts as unset, and the older name is read", () => {
		expect(env("TAU_X", { TAU_X: "", PI_X: "p" })).toBe("p");
		expect(env("HOME", { HOME: "" })).toBeUndefined();
	});

	test("other names have no aliases", () => {
		expect(env("OPENAI_API_KEY", { TAU_OPENAI_API_KEY: "x" })).toBeUndefined();
		expect(env("PI_X", { TAU_X: "t" })).toBeUndefined();
	});
});

test.each([
	["1", true],
	["TRUE", true],
	[" yes ", true],
	["on", true],
	["0", false],
	["false", false],
	["maybe", false],
	["", false],
])("the flag %p reads as %p", (value, expected) => {
	expect(envFlag("TAU_X", { OMP_X: value })).toBe(expected);
});

test.each([
	["42", 42],
	["0", 0],
	["-1.5", -1.5],
	["  ", undefined],
	["12px", undefined],
	["Infinity", undefined],
])("the number %p reads as %p", (value, expected) => {
	expect(envNumber("TAU_X", { TAU_X: value })).toBe(expected);
});

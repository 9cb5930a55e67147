/** Arguments that are nearly right are coerced, and the model is informed; ambiguous ones are rejected. */
import { describe, expect, test } from "bun:test";

import * as fc from "fast-check";
import { z } from "zod";

import { coerceArguments, unknownKeys } from "./coerce-arguments.ts";

const schema = z.object({
	path: z.string(),
	limit: z.number().int().optional(),
	deep: z.boolean().optional(),
	mode: z.enum(["fast", "slow"]).optional(),
	names: z.array(z.string()).optional(),
	range: z.object({ from: z.number() }).optional(),
});

describe("unambiguous mistakes", () => {
	const cases: [what: string, given: unknown, taken: unknown, note: string][] = [
		["a number as a text", { limit: "5" }, { limit: 5 }, 'limit: "5" was read as 5'],
		["a yes as a text", { deep: "True" }, { deep: true }, 'deep: "True" was read as true'],
		["a choice in capitals", { mode: " FAST" }, { mode: "fast" }, 'mode: " FAST" was read as "fast"'],
		["one for a list of one", { names: "a" }, { names: ["a"] }, 'names: "a" was read as a list of one'],
		["a list as a text", { names: '["a","b"]' }, { names: ["a", "b"] }, "the list in it"],
		["an object as a text", { range: '{"from":1}' }, { range: { from: 1 } }, "the object in it"],
		[
			"an object whose number is a string",
			{ range: '{"from":"1"}' },
			{ range: { from: 1 } },
			'range.from: "1" was read as 1',
		],
		["nothing for left out", { limit: null }, {}, "limit: null was treated as omitted"],
	];
	test.each(cases)("%s", (_, given, taken, note) => {
		const right = coerceArguments(schema, { path: "a", ...(given as object) });
		expect(right?.value).toEqual({ path: "a", ...(taken as object) });
		expect(right?.notes.join("; ")).toContain(note);
	});
});

describe("ambiguous mistakes are rejected", () => {
	test.each([
		[{ path: 5 }],
		[{ limit: "five" }],
		[{ limit: "" }],
		[{ limit: "1.5" }],
		[{ deep: "yes" }],
		[{ mode: "medium" }],
		[{ range: "from 1" }],
		[{ range: [1] }],
	])("%j", (given) => {
		expect(coerceArguments(schema, { path: "a", ...given })).toBeUndefined();
	});

	test("a missing argument", () => {
		expect(coerceArguments(schema, {})).toBeUndefined();
	});
});

test("the given value is not changed", () => {
	const given = { path: "a", limit: "5" };
	coerceArguments(schema, given);
	expect(given).toEqual({ path: "a", limit: "5" });
});

test("property: valid arguments are never changed, and need no note", () => {
	const right = fc.record(
		{
			path: fc.string(),
			limit: fc.integer(),
			deep: fc.boolean(),
			mode: fc.constantFrom("fast", "slow"),
			names: fc.array(fc.string()),
			range: fc.record({ from: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
		},
		{ requiredKeys: ["path"] },
	);
	fc.assert(
		fc.property(right, (input) =>
			expect(coerceArguments(schema, input)).toEqual({ value: input, notes: [] }),
		),
	);
});

test("property: no input makes it throw", () => {
	fc.assert(
		fc.property(
			fc.dictionary(fc.constantFrom("path", "limit", "deep", "mode", "names", "range"), fc.jsonValue()),
			(input) => {
				const right = coerceArguments(schema, input);
				if (right) expect(schema.safeParse(right.value).success).toBe(true);
			},
		),
	);
});

test("unknown keys are reported, with suggestions", () => {
	expect(unknownKeys(schema, { path: "a", limt: 1, "\u001b[31m": 2 })).toEqual([
		'"limt" is not an argument of this tool (did you mean limit?)',
		expect.stringContaining("is not an argument of this tool"),
	]);
	expect(unknownKeys(z.looseObject({ a: z.string() }), { b: 1 })).toEqual([]);
});

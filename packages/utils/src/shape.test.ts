/** What settings, models.yml and trust.json accept, and how they report what they do not. */
import { describe, expect, test } from "bun:test";

import { fits, parseShape, refined, shapes, type Shape } from "./shape.ts";

const { array, either, fallback, integer, looseObject, nullable, number, object, oneOf, optional } = shapes;
const { positive, record, strictObject, string, word } = shapes;

function messages(shape: Shape, value: unknown): string[] {
	const result = parseShape(shape, value);
	return result.ok ? [] : result.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("a value that fits", () => {
	const accepted: [what: string, shape: Shape, value: unknown, taken: unknown][] = [
		["a text", string, "a", "a"],
		["an empty text", string, "", ""],
		["a number", number, -1.5, -1.5],
		["a whole number", integer, 3, 3],
		["a choice", oneOf(["a", "b"]), "b", "b"],
		["nothing for null", nullable(string), null, null],
		["a default", object({ a: fallback(number, 7) }), {}, { a: 7 }],
		["an absent field, which stays absent", object({ a: optional(string) }), { a: undefined }, {}],
		["unknown fields, left out", object({ a: string }), { a: "x", b: 1 }, { a: "x" }],
		["unknown fields, kept", looseObject(object({ a: string })), { a: "x", b: 1 }, { a: "x", b: 1 }],
		["a list", array(word), ["a", "b"], ["a", "b"]],
		["a map", record(number), { a: 1 }, { a: 1 }],
		[
			"one of two shapes",
			array(either(word, object({ source: word }))),
			["a", { source: "b" }],
			["a", { source: "b" }],
		],
	];
	test.each(accepted)("%s", (_, shape, value, taken) => {
		expect(parseShape(shape, value)).toEqual({ ok: true, value: taken });
	});

	test("a field named like a member of every object is an ordinary name", () => {
		const value: unknown = JSON.parse('{"__proto__": "a", "constructor": "b"}');
		const result = parseShape(record(string), value);
		expect(result.ok && Object.entries(result.value)).toEqual([
			["__proto__", "a"],
			["constructor", "b"],
		]);
		expect(messages(strictObject(object({})), { constructor: 1 })).toEqual(["constructor: unknown field"]);
	});
});

describe("a value that does not fit is reported with its path", () => {
	const refused: [what: string, shape: Shape, value: unknown, ...expected: string[]][] = [
		["another type", string, 7, ": Invalid input: expected string, received number"],
		["nothing", object({ a: string }), {}, "a: Invalid input: expected string, received undefined"],
		["an empty word", word, "", ": Too small: expected string to have >=1 characters"],
		["not a number", number, Number.NaN, ": Invalid input: expected number, received number"],
		[
			"an endless number",
			number,
			Number.POSITIVE_INFINITY,
			": Invalid input: expected number, received number",
		],
		["a fraction", integer, 1.5, ": Invalid input: expected int, received number"],
		["zero", positive, 0, ": Too small: expected number to be >0"],
		["no choice", oneOf(["a", "b"]), "c", ': Invalid option: expected one of "a"|"b"'],
		["a list for a map", record(string), ["a"], ": Invalid input: expected record, received array"],
		["a number for an object", object({ a: string }), 8, ": Invalid input: expected object, received number"],
		["null", array(string), null, ": Invalid input: expected array, received null"],
		[
			"deep inside",
			object({ a: array(record(number)) }),
			{ a: [{}, { b: "x" }] },
			"a.1.b: Invalid input: expected number, received string",
		],
		[
			"two at once",
			array(number),
			["a", 1, "b"],
			"0: Invalid input: expected number, received string",
			"2: Invalid input: expected number, received string",
		],
		[
			"a bad key",
			record(
				string,
				refined(
					string,
					(key) => key.includes("/"),
					() => "expected provider/id",
				),
			),
			{ a: "b" },
			"a: expected provider/id",
		],
		[
			"an unknown field where none may be",
			strictObject(object({ a: optional(string) })),
			{ b: 1 },
			"b: unknown field",
		],
	];
	test.each(refused)("%s", (_, shape, value, ...expected) => {
		expect(messages(shape, value)).toEqual(expected);
		expect(fits(shape, value)).toBe(false);
	});

	test("a refinement is not asked about a value of another type", () => {
		const short = refined(
			string,
			(text) => text.length < 3,
			(text) => `${text} is too long`,
		);
		expect(messages(short, 1234)).toEqual([": Invalid input: expected string, received number"]);
		expect(messages(short, "abcd")).toEqual([": abcd is too long"]);
	});
});

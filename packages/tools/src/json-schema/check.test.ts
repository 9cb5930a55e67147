/** Values are checked by the rules of JSON Schema 2020-12, and no schema can hold Tau up. */
import { describe, expect, test } from "bun:test";

import { schemaProblem, valueProblems } from "./index.ts";

const check = (schema: object, value: unknown) => valueProblems(schema, value, "result");

/** From text, because no object of ours may have a key `then`. */
const conditional = JSON.parse(
	'{"if": {"properties": {"kind": {"const": "bug"}}}, "then": {"required": ["severity"]}}',
) as object;

describe("a value that does not fit is refused with the reason", () => {
	test.each<[string, object, unknown, string[]]>([
		["a required key that no property names", { type: "object", required: ["a"] }, {}, ["a: is missing"]],
		[
			"a required key with a default",
			{ properties: { a: { type: "string", default: "x" } }, required: ["a"] },
			{},
			["a: is missing"],
		],
		[
			"one of two required keys",
			{ anyOf: [{ required: ["a"] }, { required: ["b"] }] },
			{},
			["a: is missing", "b: is missing", "result: fits none of the alternatives in anyOf"],
		],
		[
			"a keyword beside a reference",
			{ $ref: "#/$defs/small", minimum: 3, $defs: { small: { maximum: 9 } } },
			1,
			["result: must be >= 3"],
		],
		[
			"a keyword without a type",
			{ properties: { n: { minLength: 3 } } },
			{ n: "ab" },
			["n: must NOT have fewer than 3 characters"],
		],
		["a condition", conditional, { kind: "bug" }, ["severity: is missing"]],
		["what is excluded", { not: { type: "string" } }, "x", ["result: fits what the schema excludes (not)"]],
		["a dependent key", { dependentRequired: { a: ["b"] } }, { a: 1 }, ["b: is missing, because a is there"]],
		[
			"an unevaluated key",
			{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
			{ a: 1, b: 2 },
			["b: is not expected"],
		],
		[
			"an enumeration",
			{ items: { enum: ["low", "high"] } },
			["low", "mid"],
			['1: must be one of "low", "high", not "mid"'],
		],
		[
			"a type",
			{ properties: { "a/b": { type: "integer" } } },
			{ "a/b": "1" },
			['a/b: must be integer, not "1"'],
		],
		[
			"a keyword of Ajv's that makes checks wait",
			{ $async: true, type: "string" },
			5,
			["result: must be string, not 5"],
		],
		["a required key that objects inherit", { required: ["constructor"] }, {}, ["constructor: is missing"]],
		["a format", { format: "date" }, "tomorrow", ['result: must match format "date"']],
		[
			"an array of draft 7",
			{ $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "string" }] },
			[1],
			["0: must be string, not 1"],
		],
	])("%s", async (_, schema, value, problems) => {
		expect(await schemaProblem(schema)).toBeUndefined();
		expect(await check(schema, value)).toEqual(problems);
	});
});

test.each<[string, object, unknown]>([
	["a constant object", { const: { b: [1] } }, { b: [1] }],
	["an object of an enumeration", { enum: [{ x: 1 }, [2]] }, [2]],
	["a reference to an anchor", { $defs: { s: { $anchor: "s", type: "string" } }, $ref: "#s" }, "x"],
	[
		"a reference to an id of its own",
		{ $id: "https://x.test/a", $defs: { s: { $id: "s", minimum: 1 } }, $ref: "s" },
		1,
	],
	["an object without a key that objects inherit", { properties: { constructor: { type: "string" } } }, {}],
	["a price as a multiple of cents", { multipleOf: 0.01 }, 19.99],
	["a draft 4 id", { id: "report", type: "string" }, "x"],
	["a format that nobody knows", { format: "flavor" }, "x"],
])("%s is accepted", async (_, schema, value) => {
	expect(await schemaProblem(schema)).toBeUndefined();
	expect(await check(schema, value)).toEqual([]);
});

test("many problems are counted beyond the first ten", async () => {
	const problems = await check(
		{ items: { type: "string" } },
		Array.from({ length: 30 }, (_, n) => n),
	);
	expect(problems).toHaveLength(11);
	expect(problems.at(-1)).toBe("and 20 more");
});

test.each<[string, object, RegExp]>([
	["is none", { type: "nonsense" }, /^type: must be one of "array", .*, not "nonsense"/],
	["has an expression that is none", { pattern: "(" }, /regular expression/],
	[
		"refers to a file",
		{ $ref: "file:///etc/passwd" },
		/only references within the schema .* not file:\/\/\/etc\/passwd/,
	],
	["refers to a server", { $ref: "https://example.test/s.json" }, /only references within the schema/],
	["refers to nothing", { properties: { a: { $ref: "#/$defs/x" } } }, /\$ref "#\/\$defs\/x" leads nowhere/],
	["refers to itself alone", { $ref: "#" }, /a \$ref leads back to itself/],
	["is of draft 4", { $schema: "http://json-schema.org/draft-04/schema#" }, /is not known/],
	[
		"is nested too deeply",
		JSON.parse(`${'{"not":'.repeat(200)}{}${"}".repeat(200)}`) as object,
		/nested more than 100 levels/,
	],
])("a schema that %s is refused with the reason", async (_, schema, reason) => {
	expect(await schemaProblem(schema)).toMatch(reason);
});

test("a schema that takes exponential time or too deep a value costs one answer, and the next check works", async () => {
	const doubling = Object.fromEntries(
		Array.from({ length: 60 }, (_, n) => [
			`d${n}`,
			{ allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
		]),
	);
	const references = { $ref: "#/$defs/d0", $defs: { ...doubling, d60: { type: "string" } } };
	const [expression, reference, deep] = await Promise.all([
		check({ pattern: "^(a|a)*$" }, `${"a".repeat(200)}b`),
		schemaProblem(references),
		check({ items: { $ref: "#" } }, JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`)),
	]);
	// The engine itself gives an expression up after a while, which counts as no match.
	expect(expression).toHaveLength(1);
	expect(reference).toMatch(
		/^checking was stopped because it (took longer than 5 s|needed more than 512 MB)/,
	);
	expect(deep.join()).toMatch(/cannot be checked: it is nested too deeply/);
	expect(await check({ type: "string" }, "x")).toEqual([]);
});

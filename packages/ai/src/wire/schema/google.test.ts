/** A tool's parameters reach Google in a form that it accepts, with the same meaning. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { isObject, type Json } from "../../json.ts";
import { googleParameters } from "./google.ts";

/** The conversion of a tool's property; undefined if only JSON Schema can express it. */
function property(schema: unknown): unknown {
	const written = googleParameters({ type: "object", properties: { it: schema } });
	if (!("parameters" in written)) return undefined;
	const { properties } = written.parameters;
	return isObject(properties) ? properties.it : undefined;
}

test("a tool as zod writes it", () => {
	const parameters = {
		$schema: "https://json-schema.org/draft/2020-12/schema",
		type: "object",
		properties: {
			path: { type: "string", description: "where", minLength: 1, pattern: "^(?!/)" },
			lines: {
				type: "array",
				items: { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 },
			},
			limit: { default: 3, type: "integer", exclusiveMinimum: 0, maximum: 100 },
			ratio: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
			when: { type: "string", format: "date-time" },
			site: { type: "string", format: "uri" },
			follow: { type: "boolean" },
		},
		required: ["path", "gone"],
		additionalProperties: false,
	};
	expect(googleParameters(parameters)).toEqual({
		parameters: {
			type: "OBJECT",
			properties: {
				path: { type: "STRING", description: "where", minLength: 1 },
				lines: { type: "ARRAY", items: { type: "INTEGER" } },
				limit: { type: "INTEGER", minimum: 1, maximum: 100 },
				ratio: { type: "NUMBER", minimum: 0, maximum: 1 },
				when: { type: "STRING", format: "date-time" },
				site: { type: "STRING" },
				follow: { type: "BOOLEAN" },
			},
			required: ["path"],
		},
	});
});

describe("values", () => {
	test.each<[unknown, unknown]>([
		[{ const: "a" }, { type: "STRING", enum: ["a"] }],
		[{ enum: ["a", "b"] }, { type: "STRING", enum: ["a", "b"] }],
		[
			{ type: "string", enum: ["a", null] },
			{ type: "STRING", enum: ["a"], nullable: true },
		],
		[{ type: ["string", "null"] }, { type: "STRING", nullable: true }],
		[{ anyOf: [{ type: "string" }, { type: "null" }] }, { type: "STRING", nullable: true }],
		[
			{ anyOf: [{ type: "string" }], nullable: true },
			{ type: "STRING", nullable: true },
		],
		[
			{ anyOf: [{ type: "integer", description: "inner" }, { type: "null" }], description: "outer" },
			{ type: "INTEGER", description: "outer", nullable: true },
		],
		[
			{
				anyOf: [
					{ const: "a", type: "string" },
					{ const: "b", type: "string" },
				],
				description: "which",
			},
			{ type: "STRING", enum: ["a", "b"], description: "which" },
		],
		[{ properties: { a: { type: "string" } } }, { type: "OBJECT", properties: { a: { type: "STRING" } } }],
		[
			{ items: { type: "string" }, minItems: 1 },
			{ type: "ARRAY", items: { type: "STRING" }, minItems: 1 },
		],
	])("%j is %j", (schema, expected) => {
		expect(property(schema)).toEqual(expected);
	});

	test("keywords beside alternatives are moved into them, because Vertex rejects them there", () => {
		const union = { type: ["string", "integer", "null"], description: "either" };
		const each = { description: "either", nullable: true };
		expect(property(union)).toEqual({
			anyOf: [
				{ type: "STRING", ...each },
				{ type: "INTEGER", ...each },
			],
		});
	});

	test("alternatives inside alternatives are one list", () => {
		const inner = { oneOf: [{ type: "integer" }, { type: "boolean" }], description: "inner" };
		expect(property({ anyOf: [{ type: "string" }, inner] })).toEqual({
			anyOf: [
				{ type: "STRING" },
				{ type: "INTEGER", description: "inner" },
				{ type: "BOOLEAN", description: "inner" },
			],
		});
	});
});

describe("schemas beyond the subset are sent as JSON Schema", () => {
	test.each<[string, unknown]>([
		["numbers to choose from", { type: "integer", enum: [1, 2] }],
		["one truth", { const: true }],
		["an empty text to choose", { enum: ["", "a"] }],
		["a map", { type: "object", additionalProperties: { type: "string" } }],
		["an object of anything", { type: "object" }],
		["a list of anything", { type: "array" }],
		["a tuple", { type: "array", prefixItems: [{ type: "string" }] }],
		["a reference", { $ref: "#/$defs/node" }],
		["all of several", { allOf: [{ type: "string" }] }],
		["anything", {}],
		["nothing but null", { type: "null" }],
		["conditions beside properties", { properties: { a: {} }, anyOf: [{ required: ["a"] }] }],
	])("%s", (_name, schema) => {
		const parameters = { type: "object", properties: { it: schema }, $defs: { node: { type: "object" } } };
		const written = googleParameters({ $schema: "x", ...parameters });
		expect(property(schema)).toBeUndefined();
		expect(Object.keys(written)).toEqual(["parametersJsonSchema"]);
	});

	test("a tool without parameters", () => {
		expect(googleParameters({ type: "object", properties: {} })).toEqual({
			parametersJsonSchema: { type: "object", properties: {} },
		});
	});

	test("there a constant is a list of one, also nested, and a property may have the name of a keyword", () => {
		const parameters = {
			type: "object",
			properties: {
				kind: { anyOf: [{ const: 1 }, { const: "b" }, { const: true }] },
				const: { type: "string" },
				all: { type: "array", items: { $ref: "#/$defs/x" } },
			},
			$defs: { x: { const: "x" } },
		};
		expect(googleParameters(parameters)).toEqual({
			parametersJsonSchema: {
				type: "object",
				properties: {
					kind: { anyOf: [{ enum: [1] }, { enum: ["b"] }, { const: true }] },
					const: { type: "string" },
					all: { type: "array", items: { $ref: "#/$defs/x" } },
				},
				$defs: { x: { enum: ["x"] } },
			},
		});
	});
});

const known = new Set(
	"anyOf description enum format items maxItems maxLength maximum minItems minLength minimum nullable properties required type".split(
		" ",
	),
);

/** The rules for which the vendor refuses a request. */
function expectTaken(schema: Json): void {
	for (const keyword of Object.keys(schema)) expect(known).toContain(keyword);
	if (Array.isArray(schema.anyOf)) {
		expect(Object.keys(schema)).toEqual(["anyOf"]);
		expect(schema.anyOf.length).toBeGreaterThan(1);
		for (const each of schema.anyOf) expectTaken(each as Json);
		return;
	}
	expect(["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"]).toContain(schema.type as string);
	if (schema.enum !== undefined) {
		expect(schema.type).toBe("STRING");
		for (const value of schema.enum as unknown[]) expect(value).toMatch(/./s);
	}
	if (schema.type === "ARRAY") expectTaken(schema.items as Json);
	if (schema.type !== "OBJECT") return;
	const properties = Object.entries(schema.properties as Record<string, Json>);
	expect(properties).not.toBeEmpty();
	for (const name of (schema.required ?? []) as string[])
		expect(properties.map(([each]) => each)).toContain(name);
	for (const [, each] of properties) expectTaken(each);
}

const loose = { requiredKeys: [] };
const notes = {
	description: fc.string({ maxLength: 3 }),
	format: fc.constantFrom("date-time", "uri", "int32", "enum"),
	nullable: fc.boolean(),
	title: fc.string({ maxLength: 1 }),
};
const words = fc.array(fc.oneof(fc.constantFrom("a", "b", "c"), fc.constant(null)), {
	minLength: 1,
	maxLength: 3,
});
const types = fc.constantFrom("string", "number", "integer", "boolean", "null", "strange", [
	"string",
	"null",
]);

/** Schemas of which most can be expressed in the subset, and some cannot. */
function schemaOf(depth: number): fc.Arbitrary<Json> {
	const leaf = fc.oneof(
		fc.record({ ...notes, type: types, minimum: fc.double(), exclusiveMaximum: fc.integer() }, loose),
		fc.record({ enum: words, ...notes }, { requiredKeys: ["enum"] }),
		fc.record(
			{ const: fc.oneof(fc.constantFrom("a", ""), fc.integer()), ...notes },
			{ requiredKeys: ["const"] },
		),
	);
	if (depth === 0) return leaf;
	const below = schemaOf(depth - 1);
	return fc.oneof(
		leaf,
		fc.record({ ...notes, type: fc.constant("array"), items: below }, { requiredKeys: ["type"] }),
		fc.record({ ...notes, anyOf: fc.array(below, { maxLength: 3 }) }, { requiredKeys: ["anyOf"] }),
		fc.record(
			{
				...notes,
				properties: fc.dictionary(fc.constantFrom("a", "b", "__proto__"), below, { maxKeys: 2 }),
				additionalProperties: fc.oneof(fc.boolean(), fc.constant({})),
				required: fc.subarray(["a", "b", "c"]),
			},
			{ requiredKeys: ["properties"] },
		),
	);
}

test("for any schema, the result in the subset obeys its rules", () => {
	let taken = 0;
	fc.assert(
		fc.property(schemaOf(3), (it) => {
			const written = googleParameters({ type: "object", properties: { it } });
			if (!("parameters" in written)) return;
			taken++;
			expectTaken(written.parameters);
		}),
		{ numRuns: 500 },
	);
	expect(taken).toBeGreaterThan(50);
});

test("property: any JSON is converted, also a cyclic one", () => {
	fc.assert(
		fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (schema) => {
			expect(Object.keys(googleParameters(schema))).toHaveLength(1);
		}),
	);
	const circular: Json = { type: "object" };
	circular.properties = { self: circular };
	expect(JSON.stringify(googleParameters(circular))).toContain("self");
});

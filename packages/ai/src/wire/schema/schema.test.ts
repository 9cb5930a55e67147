/** For parameters from any source, each vendor gets a schema that it accepts and that has the same meaning. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { samples } from "../../../../../test/support/depth.ts";
import { isObject, list, object, type Json } from "../../json.ts";
import { objectSchema, plainSchema, strictSchema } from "./index.ts";
import { limits } from "./limits.ts";

const text = { type: "string" };
const maybe = { type: ["string", "null"] };

describe("plain", () => {
	test("internal fields of libraries and values that JSON does not have are omitted", () => {
		const typebox = {
			[Symbol.for("TypeBox.Kind")]: "Object",
			"~kind": "Object",
			$schema: "https://json-schema.org/draft/2020-12/schema",
			type: "object",
			properties: { a: { [Symbol.for("TypeBox.Kind")]: "String", "~optional": true, type: "string" } },
			title: undefined,
			items: undefined,
			check: () => true,
			default: 1n,
			maxProperties: Number.NaN,
		};
		expect(plainSchema(typebox)).toStrictEqual({
			type: "object",
			properties: { a: { type: "string" } },
			maxProperties: null,
		});
	});

	test("the names of properties and values are the tool's own, whatever they are", () => {
		const properties = JSON.parse(
			'{"$schema":{"type":"string"},"~x":{"default":null},"__proto__":{"const":null}}',
		);
		const schema = { type: "object", properties, examples: [{ $schema: "x" }] };
		expect(JSON.stringify(plainSchema(schema))).toBe(JSON.stringify(schema));
	});

	test("the parameters are not modified", () => {
		const parameters = { type: "object", properties: { a: { $schema: "x", enum: ["a"] } } };
		const before = structuredClone(parameters);
		const copy = plainSchema(parameters);
		expect(parameters).toEqual(before);
		expect(object(copy.properties).a).not.toBe(parameters.properties.a);
	});

	test("a cyclic schema accepts anything at the cycle", () => {
		const node: Json = { type: "object" };
		node.properties = { left: node, other: text };
		node.default = node;
		expect(plainSchema(node)).toEqual({ type: "object", properties: { left: {}, other: text } });
	});

	test("a part that is too deep accepts anything", () => {
		let deep: Json = text;
		for (let level = 0; level < 100; level++) deep = { type: "array", items: deep };
		expect(JSON.stringify(plainSchema(deep)).match(/array/g)).toHaveLength(limits.depth + 1);
	});

	test.each<[string, Json]>([
		["properties", { properties: Object.fromEntries(many((at) => [`property ${at}`, text])) }],
		["alternatives", { anyOf: many(() => text) }],
		["values", { enum: many((at) => `value ${at}`) }],
	])("a schema of too many %s accepts anything", (_what, schema) => {
		expect(plainSchema({ type: "object", ...schema })).toEqual({});
		expect(objectSchema({ type: "object", ...schema })).toEqual({ type: "object", properties: {} });
	});
});

function many<T>(make: (at: number) => T): T[] {
	return Array.from({ length: 50_000 }, (_, at) => make(at));
}

describe("an object at the top", () => {
	const a = { type: "object", properties: { kind: { const: "a" }, x: text }, required: ["kind", "x"] };
	const b = {
		type: "object",
		properties: { kind: { type: "string", const: "b" }, x: { type: "number" }, y: text },
		required: ["kind"],
	};
	const merged = {
		type: "object",
		properties: {
			kind: { type: "string", enum: ["a", "b"] },
			x: { anyOf: [text, { type: "number" }] },
			y: text,
		},
		required: ["kind"],
	};
	const closed = { additionalProperties: false };

	test.each<[string, Json, Json]>([
		["nothing at all", {}, { type: "object", properties: {} }],
		["no properties", { type: "object" }, { type: "object", properties: {} }],
		["an object", a, a],
		["alternatives", { anyOf: [a, b] }, merged],
		["one of several", { description: "d", oneOf: [a, b] }, { description: "d", ...merged }],
		[
			"closed alternatives",
			{
				anyOf: [
					{ ...a, ...closed },
					{ ...b, ...closed },
				],
			},
			{ ...merged, ...closed },
		],
		["a closed and an open one", { anyOf: [{ ...a, ...closed }, b] }, merged],
		["an alternative that is no object", { anyOf: [a, { type: "null" }] }, a],
		["no object anywhere", { type: "string", enum: ["x"] }, { type: "object", properties: {} }],
		[
			"parts",
			{ type: "object", allOf: [a, { properties: { x: { minLength: 1 } }, required: ["z"] }] },
			{
				type: "object",
				properties: { kind: { const: "a" }, x: { allOf: [text, { minLength: 1 }] } },
				required: ["kind", "x", "z"],
			},
		],
		[
			"alternatives of required properties",
			{ type: "object", properties: { p: text, q: text }, anyOf: [{ required: ["p"] }, { required: ["q"] }] },
			{ type: "object", properties: { p: text, q: text } },
		],
		["a reference", { $ref: "#/$defs/a", $defs: { a } }, { ...a, $defs: { a } }],
		["a name with a slash", { $ref: "#/$defs/a~1b", $defs: { "a/b": a } }, { ...a, $defs: { "a/b": a } }],
		["a reference into nowhere", { $ref: "#/$defs/a" }, { type: "object", properties: {} }],
		["a reference elsewhere", { $ref: "https://x.test/a" }, { type: "object", properties: {} }],
		[
			"a reference to itself",
			{ $ref: "#/$defs/n", $defs: { n: { properties: { x: text }, anyOf: [{ $ref: "#/$defs/n" }] } } },
			{
				type: "object",
				properties: { x: text },
				$defs: { n: { properties: { x: text }, anyOf: [{ $ref: "#/$defs/n" }] } },
			},
		],
	])("is built from %s", (_name, schema, expected) => {
		expect(objectSchema(schema)).toEqual(expected);
	});

	test("nested references cost no more than their length", () => {
		const $defs = Object.fromEntries(
			Array.from({ length: 40 }, (_, at) => [
				`d${at}`,
				{ anyOf: Array.from({ length: 20 }, () => ({ $ref: `#/$defs/d${at + 1}` })) },
			]),
		);
		expect(objectSchema({ $ref: "#/$defs/d0", $defs })).toMatchObject({ type: "object", properties: {} });
	});
});

describe("strict", () => {
	const strict = (properties: Json) => ({
		type: "object",
		properties,
		required: Object.keys(properties),
		additionalProperties: false,
	});

	test.each<[string, Json, Json]>([
		["required", { type: "object", properties: { a: text }, required: ["a"] }, strict({ a: text })],
		["null instead of a missing value", { type: "object", properties: { a: maybe } }, strict({ a: maybe })],
		["no parameters", { type: "object", properties: {}, additionalProperties: false }, strict({})],
		[
			"objects in lists and alternatives",
			{
				type: "object",
				properties: {
					list: { type: "array", items: { type: "object", properties: { a: text }, required: ["a"] } },
					either: { anyOf: [text, { type: "null" }] },
				},
				required: ["list"],
			},
			strict({
				list: { type: "array", items: strict({ a: text }) },
				either: { anyOf: [text, { type: "null" }] },
			}),
		],
		[
			"notes that nothing depends on",
			{
				type: "object",
				title: "T",
				properties: { a: { ...text, default: "x", description: "d" } },
				required: ["a"],
			},
			strict({ a: { ...text, description: "d" } }),
		],
		[
			"references",
			{
				type: "object",
				properties: { a: { $ref: "#/$defs/a" } },
				required: ["a"],
				$defs: { a: { type: "object", properties: { b: text }, required: ["b"] } },
			},
			{ ...strict({ a: { $ref: "#/$defs/a" } }), $defs: { a: strict({ b: text }) } },
		],
	])("can be strict: %s", (_name, schema, expected) => {
		expect(strictSchema(schema)).toEqual(expected);
	});

	const wide = Object.fromEntries(Array.from({ length: 5001 }, (_, at) => [`p${at}`, text]));
	let deep: Json = text;
	for (let level = 0; level < 12; level++)
		deep = { type: "object", properties: { a: deep }, required: ["a"] };

	test.each<[string, Json]>([
		["a property that may be left out", { properties: { a: text } }],
		["a choice that may be left out", { properties: { a: { ...maybe, enum: ["x"] } } }],
		["a constant that may be left out", { properties: { a: { const: null, type: "null" } } }],
		["any other property", { properties: { a: maybe }, additionalProperties: { type: "string" } }],
		["any property at all", {}],
		["a property of any kind", { properties: { a: {} }, required: ["a"] }],
		["an open object inside", { properties: { a: { type: "object" } }, required: ["a"] }],
		["names by pattern", { properties: { a: maybe }, patternProperties: { "^x": text } }],
		["a pair", { properties: { a: { type: "array", prefixItems: [text] } }, required: ["a"] }],
		["a length", { properties: { a: { type: "string", minLength: 1 } }, required: ["a"] }],
		["too many properties", { properties: wide, required: Object.keys(wide) }],
		["too many levels", { properties: { a: deep }, required: ["a"] }],
		[
			"too many values",
			{
				properties: { a: { ...text, enum: Array.from({ length: 1001 }, (_, at) => `${at}`) } },
				required: ["a"],
			},
		],
	])("cannot be strict: %s", (_name, schema) => {
		expect(strictSchema({ type: "object", ...schema })).toBeUndefined();
	});
});

/** The part of JSON Schema that the schemas of these tests use. */
function accepts(schema: unknown, value: unknown): boolean {
	const { type, enum: values, anyOf, properties, required, items, additionalProperties } = object(schema);
	const types = typeof type === "string" ? [type] : list(type);
	if (types.length > 0 && !types.includes(typeOf(value))) return false;
	if (Array.isArray(values) && !values.includes(value)) return false;
	if (Array.isArray(anyOf) && !anyOf.some((branch) => accepts(branch, value))) return false;
	if (Array.isArray(value)) return items === undefined || value.every((item) => accepts(items, item));
	if (!isObject(value)) return true;
	if (!list(required).every((name) => typeof name === "string" && name in value)) return false;
	return Object.entries(value).every(([name, given]) => {
		const known = object(properties)[name];
		return known === undefined ? additionalProperties !== false : accepts(known, given);
	});
}

function typeOf(value: unknown): string {
	if (value === null) return "null";
	return Array.isArray(value) ? "array" : typeof value;
}

const { schema: anySchema } = fc.letrec<{ schema: Json }>((tie) => ({
	schema: fc.oneof(
		{ maxDepth: 3, withCrossShrink: true },
		fc.constantFrom<Json>(text, { type: "number" }, { type: ["boolean", "null"] }, { enum: ["x", "y", 1] }),
		fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
		tie("schema").map((items) => ({ type: "array", items })),
		anyObject(tie("schema")),
	),
}));

function anyObject(property: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
	return fc
		.tuple(
			fc.dictionary(fc.constantFrom("a", "b", "c"), property),
			fc.subarray(["a", "b", "c"]),
			fc.constantFrom<Json>({}, { additionalProperties: false }),
		)
		.map(([properties, names, rest]) => ({
			type: "object",
			properties,
			required: names.filter((name) => name in properties),
			...rest,
			[Symbol.for("TypeBox.Kind")]: "Object",
		}));
}

const anyValue = fc.jsonValue({ maxDepth: 3 });
const anyInput = fc.dictionary(
	fc.constantFrom("a", "b", "c"),
	fc.oneof(fc.constantFrom("x", "y", 1, true, null, ["x"], { a: "x" }), anyValue),
);

test("a tool accepts the same after its parameters were made plain, and they can be written as JSON", () => {
	fc.assert(
		fc.property(anySchema, anyInput, (schema, input) => {
			const plain = plainSchema(schema);
			expect(JSON.parse(JSON.stringify(plain))).toStrictEqual(plain);
			expect(accepts(plain, input)).toBe(accepts(schema, input));
		}),
	);
});

test("an input that one of the alternatives accepts is accepted by the object made of them", () => {
	fc.assert(
		fc.property(
			fc.array(anyObject(anySchema), { minLength: 1, maxLength: 3 }),
			fc.constantFrom("anyOf", "oneOf"),
			anyInput,
			(branches, keyword, input) => {
				const schema = objectSchema({ [keyword]: branches });
				expect(Object.keys(schema)).not.toContain(keyword);
				const known = branches.some((branch) => accepts({ ...branch, additionalProperties: false }, input));
				if (known) expect(accepts(schema, input)).toBe(true);
			},
		),
	);
});

test("the tool accepts everything that strict mode allows, and the model can express what it could before", () => {
	fc.assert(
		fc.property(anyObject(anySchema), anyInput, (schema, input) => {
			const strict = strictSchema(schema);
			if (strict === undefined) return;
			if (accepts(strict, input)) expect(accepts(schema, input)).toBe(true);
			const all = { a: null, b: null, c: null, ...input };
			const spoken = Object.fromEntries(
				Object.entries(all).filter(([name]) => name in object(schema.properties)),
			);
			expect(accepts(strict, spoken)).toBe(accepts(schema, spoken) && closedIn(schema, spoken));
		}),
		{ numRuns: samples(1000) },
	);
});

/** True if an input has nothing that a schema does not name. */
function closedIn(schema: unknown, value: unknown): boolean {
	return accepts(closedAll(schema), value);
}

function closedAll(schema: unknown): unknown {
	if (Array.isArray(schema)) return schema.map(closedAll);
	if (!isObject(schema)) return schema;
	const entries = Object.entries(schema).map(([keyword, value]) => [keyword, closedAll(value)]);
	const closed = Object.fromEntries(entries);
	if (schema.type !== "object") return closed;
	return { ...closed, required: Object.keys(object(schema.properties)), additionalProperties: false };
}

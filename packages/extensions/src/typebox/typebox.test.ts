/** Arguments of tools are validated by TypeBox, and coerced where a model only wrote them differently. */
import { describe, expect, test } from "bun:test";

import fc from "fast-check";
import { type TSchema, Type, type Static } from "typebox-v1";

import { checkValue, StringEnum } from "./index.ts";

const user = Type.Object({
	name: Type.String({ description: "full name" }),
	age: Type.Optional(Type.Integer({ minimum: 0 })),
	kind: StringEnum(["cat", "dog"]),
	tags: Type.Optional(Type.Array(Type.String())),
});

/** The same schema as an MCP server or a hand-written tool defines it: without TypeBox's symbols. */
const plainContact: TSchema = JSON.parse(JSON.stringify(user));

test("a schema is JSON Schema as providers accept it, with a choice of strings as an enum", () => {
	expect(plainContact).toEqual({
		type: "object",
		required: ["name", "kind"],
		properties: {
			name: { type: "string", description: "full name" },
			age: { type: "integer", minimum: 0 },
			kind: { type: "string", enum: ["cat", "dog"] },
			tags: { type: "array", items: { type: "string" } },
		},
	});
	const someone: Static<typeof user> = { name: "Ada", kind: "cat" };
	expect(checkValue(user, someone)).toEqual({ ok: true, value: someone });
});

describe.each([
	["TypeBox", user],
	["plain JSON Schema", plainContact],
])("a value of %s", (_, schema) => {
	test("that is wrong is rejected with the path and the reason", () => {
		expect(checkValue(schema, { age: -1, kind: "cow", tags: ["a", {}] })).toEqual({
			ok: false,
			problems: [
				"name: is missing",
				"age: must be >= 0",
				'kind: must be one of "cat", "dog"',
				"tags[1]: must be string, not object",
			],
		});
	});

	test("that a model only wrote differently is coerced, and the given value is unchanged", () => {
		const given = { name: 5, kind: "cat", age: "7", tags: '["a", 1]' };
		const value = { name: "5", kind: "cat", age: 7, tags: ["a", "1"] };
		expect(checkValue(schema, given)).toEqual({ ok: true, value });
		expect(given).toEqual({ name: 5, kind: "cat", age: "7", tags: '["a", 1]' });
	});
});

test("defaults are filled in, also inside objects and lists, and for schemas without TypeBox's symbols", () => {
	const schema = Type.Object({
		level: Type.Number({ default: 3 }),
		list: Type.Optional(Type.Array(Type.Object({ on: Type.Boolean({ default: true }) }))),
	});
	const value = { level: 3, list: [{ on: true }, { on: false }] };
	for (const each of [schema, JSON.parse(JSON.stringify(schema)) as TSchema])
		expect(checkValue(each, { list: [{}, { on: "false" }] })).toEqual({ ok: true, value });
});

test("a value that cannot be coerced without loss is rejected", () => {
	for (const text of ["5.5", "", "five"]) expect(checkValue(Type.Integer(), text).ok).toBe(false);
	expect(checkValue(Type.Array(Type.String()), "a")).toEqual({
		ok: false,
		problems: ["arguments: must be array, not string"],
	});
	expect(checkValue(Type.Object({}, { additionalProperties: false }), { more: 1 })).toEqual({
		ok: false,
		problems: ["more: is not allowed"],
	});
});

test("a value of a union keeps its own type if one fits", () => {
	const either = Type.Union([Type.Number(), Type.String(), Type.Null()]);
	for (const value of ["5", 5, null]) expect(checkValue(either, value)).toEqual({ ok: true, value });
	expect(checkValue(either, true)).toEqual({ ok: true, value: "true" });
	expect(checkValue(either, {}).ok).toBe(false);
});

test("a schema that cannot be compiled is reported as the cause", () => {
	for (const schema of [{ type: "string", pattern: "(" }, { $ref: "#" }])
		expect(checkValue(schema, "x")).toEqual({
			ok: false,
			problems: [expect.stringContaining("the schema of the tool is invalid: ")],
		});
});

test("regression: a key __proto__ is a key like any other", () => {
	const value: unknown = JSON.parse('{ "__proto__": 1 }');
	expect(checkValue({}, value)).toEqual({ ok: true, value });
});

test("property: no schema and no value makes the check throw", () => {
	fc.assert(
		fc.property(fc.jsonValue(), fc.jsonValue(), (schema, value) => {
			const checked = checkValue(schema, value);
			if (checked.ok) expect(checkValue({}, checked.value)).toEqual({ ok: true, value: checked.value });
			else expect(checked.problems.length).toBeGreaterThan(0);
		}),
	);
});

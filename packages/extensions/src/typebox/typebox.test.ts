/** Schemas that were written for TypeBox mean the same here, and values are checked by them. */
import { describe, expect, test } from "bun:test";

import fc from "fast-check";

import { checkValue, StringEnum, Type, type Static } from "./index.ts";

const person = Type.Object({
	name: Type.String({ description: "full name" }),
	age: Type.Optional(Type.Integer({ minimum: 0 })),
	kind: StringEnum(["cat", "dog"]),
	tags: Type.Optional(Type.Array(Type.String())),
});

describe("a schema", () => {
	test("is JSON Schema as it stands: optional properties are not required, and nothing else shows", () => {
		expect(JSON.parse(JSON.stringify(person))).toEqual({
			type: "object",
			required: ["name", "kind"],
			properties: {
				name: { type: "string", description: "full name" },
				age: { type: "integer", minimum: 0 },
				kind: { type: "string", enum: ["cat", "dog"] },
				tags: { type: "array", items: { type: "string" } },
			},
		});
	});

	test("says at compile time what it describes", () => {
		const someone: Static<typeof person> = { name: "Ada", kind: "cat" };
		const moved = { ...someone, tags: ["a"] } satisfies Static<typeof person>;
		expect(checkValue(person, moved)).toEqual({ ok: true, value: moved });
	});

	test("stays optional when it is copied with other words", () => {
		const copied = { ...Type.Optional(Type.String()), description: "more" };
		expect(Type.Object({ copied })).toEqual({
			type: "object",
			properties: { copied: { ...copied } },
		});
	});

	test("can be made from another one", () => {
		expect(Type.Partial(person)).not.toHaveProperty("required");
		expect(Object.keys(Type.Pick(person, ["name", "age"]).properties)).toEqual(["name", "age"]);
		expect(Object.keys(Type.Omit(person, ["name", "age"]).properties)).toEqual(["kind", "tags"]);
		expect(Type.Required(person)).toMatchObject({ required: ["name", "age", "kind", "tags"] });
		expect(Type.KeyOf(person).anyOf).toHaveLength(4);
	});
});

describe("a value", () => {
	test("that is wrong is refused with the place and the reason", () => {
		const checked = checkValue(person, { age: -1, kind: "cow", tags: ["a", {}] });
		expect(checked).toEqual({
			ok: false,
			problems: [
				"name: is missing",
				"age: must be at least 0",
				'kind: must be one of "cat", "dog"',
				"tags[1]: must be string, not object",
			],
		});
	});

	test("that a model only wrote differently is put right", () => {
		const schema = Type.Object({
			count: Type.Integer(),
			on: Type.Boolean(),
			list: Type.Array(Type.Number()),
			level: Type.Number({ default: 3 }),
		});
		expect(checkValue(schema, { count: "5", on: "true", list: "[1, 2]" })).toEqual({
			ok: true,
			value: { count: 5, on: true, list: [1, 2], level: 3 },
		});
		expect(checkValue(Type.Integer(), "5.5").ok).toBe(false);
		expect(checkValue(Type.Integer(), "").ok).toBe(false);
	});

	test("of a union keeps its own type where one fits", () => {
		const either = Type.Union([Type.Number(), Type.String(), Type.Null()]);
		for (const value of ["5", 5, null]) expect(checkValue(either, value)).toEqual({ ok: true, value });
		expect(checkValue(either, true)).toEqual({ ok: true, value: "true" });
		expect(checkValue(either, {}).ok).toBe(false);
	});

	test.each([
		[Type.Literal("a"), "a", "b"],
		[Type.Enum({ Small: "s", Large: "l" }), "s", "Small"],
		[Type.Enum(["x", "y"]), "y", "z"],
		[Type.Tuple([Type.String(), Type.Number()]), ["a", 1], ["a"]],
		[Type.Record(Type.String(), Type.Number()), { a: 1 }, { a: "one" }],
		[Type.Object({}, { additionalProperties: false }), {}, { a: 1 }],
		[Type.String({ pattern: "^a+$" }), "aa", "b"],
		[Type.String({ minLength: 2 }), "ab", "a"],
		[Type.Number({ exclusiveMaximum: 3 }), 2, 3],
		[Type.Array(Type.Any(), { maxItems: 1 }), [{}], [1, 2]],
		[
			Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]),
			{ a: "", b: "" },
			{ a: "" },
		],
		[Type.Not(Type.String()), 1, "a"],
		[Type.Null(), null, 0],
	])("%j takes %j and not %j", (schema, right, bad) => {
		expect(checkValue(schema, right)).toEqual({ ok: true, value: right });
		expect(checkValue(schema, bad).ok).toBe(false);
	});

	test("is never a reason to throw, whatever the schema says", () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.jsonValue(), (schema, value) => {
				const checked = checkValue(schema, value);
				if (checked.ok) expect(checkValue({}, checked.value)).toEqual({ ok: true, value: checked.value });
				else expect(checked.problems.length).toBeGreaterThan(0);
			}),
		);
	});
});

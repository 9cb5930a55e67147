/** Extensions that check values with TypeBox get the answers that it would give. */
import { expect, test } from "bun:test";

import { Type } from "./type.ts";
import { Compile, values } from "./value.ts";

const schema = Type.Object({
	name: Type.String({ minLength: 1 }),
	age: Type.Optional(Type.Integer({ minimum: 0, default: 7 })),
	tags: Type.Optional(Type.Array(Type.Object({ id: Type.Number() }))),
});

test("a check is strict: nothing is mended, and a default that is absent is no mistake", () => {
	expect(values.Check(schema, { name: "Ada" })).toBe(true);
	expect(values.Check(schema, { name: "Ada", age: "3" })).toBe(false);
	expect(values.Check(schema, {})).toBe(false);
	expect(() => values.Assert(schema, { name: "" })).toThrow("name: must have at least 1 characters");
});

test("errors say where, as a pointer", () => {
	const errors = values.Errors(schema, { name: "Ada", tags: [{ id: 1 }, { id: "x" }] });
	expect(errors.map(({ path, instancePath }) => [path, instancePath])).toEqual([
		["/tags/1/id", "/tags/1/id"],
	]);
	expect(errors.First()?.message).toContain("must be number");
	expect([...values.Errors(schema, { name: "Ada" })]).toEqual([]);
});

test("parsing mends, fills in and leaves out; what cannot be mended is refused", () => {
	const said = { name: "Ada", age: "3", more: true, tags: [{ id: 1, rest: 2 }] };
	expect(values.Parse(schema, said)).toEqual({ name: "Ada", age: 3, tags: [{ id: 1 }] });
	expect(values.Default(schema, { name: "Ada" })).toEqual({ name: "Ada", age: 7 });
	expect(values.Convert(schema, { name: "Ada", age: "old" })).toEqual({ name: "Ada", age: "old" });
	expect(() => values.Decode(schema, { age: 1 })).toThrow("name: is missing");
});

test("values are made, cast and compared", () => {
	expect(values.Create(schema)).toEqual({ name: "" });
	expect(values.Create(Type.Union([Type.Literal("a"), Type.Literal("b")]))).toBe("a");
	expect(values.Cast(schema, { name: 5, age: -1 })).toEqual({ name: "5", age: 7 });
	expect(values.Equal({ a: [1] }, values.Clone({ a: [1] }))).toBe(true);
});

test("a compiled schema checks the same", () => {
	const compiled = Compile(schema) as { Check(value: unknown): boolean; Parse(value: unknown): unknown };
	expect(compiled.Check({ name: "Ada", age: -1 })).toBe(false);
	expect(compiled.Parse({ name: "Ada" })).toEqual({ name: "Ada", age: 7 });
});

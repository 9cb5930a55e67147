/** Streaming JSON: applying the changes gives the value, and a value returned earlier stays unchanged. */
import { expect, test } from "bun:test";

import fc from "fast-check";

import { StreamingJsonParser } from "./streaming-json.ts";

/** Numeric keys do not keep their order, and names of prototypes are not used as keys. */
const key = fc.stringMatching(/^[a-z]{1,6}$/);
const json = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ depthSize: "small" },
		fc.string(),
		fc.integer(),
		fc.boolean(),
		fc.constant(null),
		fc.array(tie("value"), { maxLength: 4 }),
		fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
	),
})).value;

function applied(
	root: unknown,
	{ path, ...change }: ReturnType<StreamingJsonParser["append"]>[number],
): unknown {
	const last = path.at(-1);
	if (last === undefined)
		return change.kind === "set" ? structuredClone(change.value) : `${String(root)}${change.text}`;
	const holder = path
		.slice(0, -1)
		.reduce<object>((at, step) => Reflect.get(at, step) as object, root as object);
	const value =
		change.kind === "set"
			? structuredClone(change.value)
			: `${String(Reflect.get(holder, last))}${change.text}`;
	Reflect.set(holder, last, value);
	return root;
}

test("property: the changes of all chunks add up to the value, whatever the chunks", () => {
	fc.assert(
		fc.property(json, fc.integer({ min: 1, max: 9 }), (value, size) => {
			const text = `${JSON.stringify([value])} `;
			const parser = new StreamingJsonParser();
			let kept: unknown;
			const given: { snapshot: unknown; was: string }[] = [];
			for (let at = 0; at < text.length; at += size) {
				for (const change of parser.append(text.slice(at, at + size))) kept = applied(kept, change);
				const snapshot = parser.snapshot();
				given.push({ snapshot, was: JSON.stringify(snapshot) ?? "" });
			}
			expect(kept).toEqual(JSON.parse(text));
			expect(parser.snapshot()).toEqual(JSON.parse(text));
			for (const { snapshot, was } of given) expect(JSON.stringify(snapshot) ?? "").toBe(was);
		}),
	);
});

test("a string is reported once and then extended; before a value starts there is none", () => {
	const parser = new StreamingJsonParser();
	expect(parser.snapshot()).toBeUndefined();
	expect(parser.append(`{"a":"he`)).toEqual([
		{ kind: "set", path: [], value: {} },
		{ kind: "set", path: ["a"], value: "he" },
	]);
	expect(parser.append("llo")).toEqual([{ kind: "append", path: ["a"], text: "llo" }]);
	const before = parser.snapshot();
	expect(parser.append("")).toEqual([]);
	expect(parser.snapshot()).toBe(before);
});

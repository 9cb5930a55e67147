/** Arguments are parsed while they stream in, and chunk boundaries make no difference. */
import { expect, test } from "bun:test";
import fc from "fast-check";

import { anyCharacter } from "../../../../../test/support/any-character.ts";
import { ArgumentText } from "./argument-text.ts";
import { CallText, pathsOf } from "./call-text.ts";

function read(json: string, size: number): { json: string; values: [string, string][] } {
	const seen = { json: "", values: [] as [string, string][] };
	let value = "";
	const text = new ArgumentText({
		json: (piece) => (seen.json += piece),
		value: (_key, piece) => (value += piece),
		valueEnd: (key) => {
			seen.values.push([key, value]);
			value = "";
		},
	});
	for (let at = 0; at < json.length; at += size) text.push(json.slice(at, at + size));
	return seen;
}

/** The texts of a value, each with the name above it. */
function textsIn(value: unknown, key = ""): [string, string][] {
	if (typeof value === "string") return [[key, value]];
	if (Array.isArray(value)) return value.flatMap((each) => textsIn(each, key));
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([name, each]) => textsIn(each, name));
}

test("property: every string is found under its name, whatever its content and however it is chunked", () => {
	const values = fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue({ maxDepth: 3 }));
	fc.assert(
		fc.property(values, fc.integer({ min: 1, max: 9 }), (value, size) => {
			const plain: unknown = JSON.parse(JSON.stringify(value));
			expect(read(JSON.stringify(plain), size).values).toEqual(textsIn(plain));
		}),
	);
});

test("invalid JSON is read as far as possible", () => {
	fc.assert(fc.property(fc.string(), fc.integer({ min: 1, max: 5 }), (text, size) => void read(text, size)));
	expect(read('{"a": "b\\', 3).json).toBe('{"a": "b');
});

test("escapes are resolved in what conditions see", () => {
	expect(read('{"command": "a\\n\\"b\\" \\u00e9"}', 2).json).toBe('{"command": "a\n"b" é"}');
});

test("deep nesting neither fails nor loses what follows", () => {
	const deep = "[".repeat(500) + "]".repeat(500);
	expect(read(`{"deep": ${deep}, "path": "a"}`, 7).values).toEqual([["path", "a"]]);
});

test("of a call that writes, only the written text is matched", () => {
	const text = new CallText("edit");
	const args = {
		path: "a.ts",
		edits: [
			{ oldText: "old", newText: "new" },
			{ from: 3, text: "line" },
		],
	};
	expect(text.push(JSON.stringify(args))).toBe("new\nline\n");
	expect(text.paths).toEqual(["a.ts"]);
});

test("the files of a call are those in its arguments or its patch", () => {
	expect(pathsOf("read", { path: "a.ts" })).toEqual(["a.ts"]);
	expect(pathsOf("grep", { paths: ["a", "b"], pattern: "c" })).toEqual(["a", "b"]);
	const input =
		"*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n@@\n-x\n+y\n*** Add File: c.ts\n+z\n*** End Patch";
	expect(pathsOf("edit", { input })).toEqual(["a.ts", "b.ts", "c.ts"]);
});

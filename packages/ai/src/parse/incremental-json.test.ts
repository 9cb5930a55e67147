/** The guarantees for a reader of streamed tool arguments. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { anyCharacter } from "../../../../test/support/any-character.ts";
import { samples } from "../../../../test/support/depth.ts";
import { IncrementalJson } from "./incremental-json.ts";
import { limits } from "./limits.ts";

function parse(...deltas: string[]) {
	const json = new IncrementalJson();
	for (const delta of deltas) json.push(delta);
	return json.end();
}

function soFar(prefix: string): unknown {
	const json = new IncrementalJson();
	json.push(prefix);
	return json.value;
}

/** Cuts a text at the given positions, which may be anywhere. */
function cutAt(text: string, places: number[]): string[] {
	const cuts = [0, ...places.map((place) => place % (text.length + 1)), text.length].toSorted(
		(a, b) => a - b,
	);
	return cuts.slice(1).map((cut, i) => text.slice(cuts[i], cut));
}

/**
 * Stricter than `toEqual`: distinguishes -0 from 0, and an own `__proto__` from an inherited one; compares the order
 * of keys.
 */
function identical(a: unknown, b: unknown): boolean {
	if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
	if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
	const [left, right] = [fields(a), fields(b)];
	return (
		left.length === right.length &&
		left.every(([key, value], i) => key === right[i]?.[0] && identical(value, right[i]?.[1]))
	);
}

function fields(holder: object): [string, unknown][] {
	return Object.entries(Object.getOwnPropertyDescriptors(holder)).map(([key, field]) => [key, field.value]);
}

/** True if a value may be shown while `whole` is still arriving. */
function isBeginningOf(part: unknown, whole: unknown): boolean {
	if (typeof part === "string") return typeof whole === "string" && whole.startsWith(part);
	if (typeof part === "number") return typeof whole === "number";
	if (typeof part !== "object" || part === null) return part === whole;
	if (typeof whole !== "object" || whole === null || Array.isArray(part) !== Array.isArray(whole))
		return false;
	const expected = new Map(fields(whole));
	return fields(part).every(([key, value]) =>
		Array.isArray(part) && key === "length"
			? part.length <= Number(expected.get(key))
			: expected.has(key) && isBeginningOf(value, expected.get(key)),
	);
}

const places = fc.array(fc.nat(), { maxLength: 12 });

const numerals = fc.stringMatching(/^-?(?:0|[1-9][0-9]{0,40})(?:\.[0-9]{1,8})?(?:[eE][+-]?[0-9]{1,3})?$/);

const quoted = fc
	.tuple(fc.string({ unit: anyCharacter }), fc.boolean())
	.map(([text, escapeAll]) => (escapeAll ? `"${escapedUnits(text)}"` : JSON.stringify(text)));

function escapedUnits(text: string): string {
	return text
		.split("")
		.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
		.join("");
}

const blanks = fc.stringMatching(/^[ \t\r\n]{0,2}$/);

const keys = fc.oneof(quoted, fc.constantFrom('"a"', '"__proto__"', '"constructor"', '"7"', '""'));

/** JSON as text, including duplicate keys, unusual numerals, escapes and white space. */
const jsonText = fc.letrec<{ value: string }>((tie) => ({
	value: fc
		.tuple(
			blanks,
			fc.oneof(
				{ maxDepth: 4, depthSize: "small" },
				fc.oneof(numerals, quoted, fc.constantFrom("true", "false", "null")),
				fc.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
				fc
					.array(fc.tuple(keys, tie("value")), { maxLength: 4 })
					.map((pairs) => `{${pairs.map(([key, value]) => `${key} :${value}`).join(",")}}`),
				fc.constantFrom("[ ]", "{\n}"),
			),
			blanks,
		)
		.map((parts) => parts.join("")),
})).value;

/** Mostly not JSON, but made of its characters. */
const almostJson = fc
	.array(fc.constantFrom(...'{}[]:,"\\ 01-.eEtrufalsn\n', "true", '"a"', '{"a":', "\\u00e9", "\u0001"))
	.map((parts) => parts.join(""));

describe("any JSON, split anywhere", () => {
	test("ends as the result of JSON.parse", () => {
		fc.assert(
			fc.property(jsonText, places, (text, cuts) => {
				const result = parse(...cutAt(text, cuts));
				expect(result.malformed).toBeUndefined();
				expect(result.note).toBeUndefined();
				expect(identical(result.value, JSON.parse(text))).toBe(true);
			}),
			{ numRuns: samples(500) },
		);
	});

	test("shows only beginnings of the final value on the way, in one tree that stays the same", () => {
		fc.assert(
			fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 1), (value, indent) => {
				const text = JSON.stringify(value, null, indent);
				const whole: unknown = JSON.parse(text);
				const json = new IncrementalJson();
				let root: unknown;
				for (const unit of text.split("")) {
					json.push(unit);
					const partial = json.value;
					if (partial !== undefined) expect(isBeginningOf(partial, whole)).toBe(true);
					if (typeof root === "object" && root !== null) expect(partial).toBe(root);
					root = partial;
				}
			}),
			{ numRuns: samples(200) },
		);
	});

	test("shows the same for a prefix that arrived in chunks or at once", () => {
		fc.assert(
			fc.property(fc.oneof(jsonText, almostJson), fc.nat(), places, (text, length, cuts) => {
				const prefix = text.slice(0, length % (text.length + 1));
				const pieces = new IncrementalJson();
				for (const delta of cutAt(prefix, cuts)) pieces.push(delta);
				const whole = new IncrementalJson();
				whole.push(prefix);
				expect(identical(pieces.value, whole.value)).toBe(true);
				expect(pieces.end()).toEqual(whole.end());
			}),
			{ numRuns: samples(500) },
		);
	});
});

describe("anything else", () => {
	test("never throws, and is malformed or noted exactly when JSON.parse refuses it", () => {
		fc.assert(
			fc.property(fc.oneof(almostJson, fc.string({ unit: anyCharacter })), places, (text, cuts) => {
				const { malformed, note, value } = parse(...cutAt(text, cuts));
				const strict = strictly(text);
				expect(malformed === undefined && note === undefined).toBe(strict !== undefined);
				if (strict) expect(identical(value, strict.value)).toBe(true);
				if (malformed !== undefined) expect(malformed).toMatch(/^[ -~]+ at position \d+[ -~]*$/);
			}),
			{ numRuns: samples(2000) },
		);
	});

	function strictly(text: string): { value: unknown } | undefined {
		if (/^[ \t\r\n]*$/.test(text)) return { value: {} };
		try {
			return { value: JSON.parse(text) };
		} catch {
			// The oracle refuses the text.
			return undefined;
		}
	}
});

describe("the value so far", () => {
	test.each<[prefix: string, value: unknown]>([
		["", undefined],
		["  ", undefined],
		["{", {}],
		['{"pa', {}],
		['{"path"', {}],
		['{"path":', {}],
		['{"path": "', { path: "" }],
		['{"path": "src/ma', { path: "src/ma" }],
		['{"path": "src\\', { path: "src" }],
		['{"path": "caf\\u00e', { path: "caf" }],
		['{"path": "caf\\u00e9', { path: "café" }],
		['{"n": -', {}],
		['{"n": -4', { n: -4 }],
		['{"n": 4.', { n: 4 }],
		['{"n": 4.5e', { n: 4.5 }],
		['{"n": 4.5e+', { n: 4.5 }],
		['{"n": 4.5e+1', { n: 45 }],
		["[12,-", [12]],
		['{"on": tru', {}],
		['{"on": true', { on: true }],
		['[1, "a", [{"b": nul', [1, "a", [{}]]],
		['"half', "half"],
		["12", 12],
	])("of %j is %j", (prefix, value) => {
		expect(soFar(prefix)).toEqual(value);
	});

	test("keeps a duplicate key's first value until the second starts", () => {
		expect(soFar('{"a": 1, "a":')).toEqual({ a: 1 });
		expect(soFar('{"a": 1, "a": "x')).toEqual({ a: "x" });
	});

	test("shows a number right after another one of the same length", () => {
		const json = new IncrementalJson();
		json.push("[12");
		json.push(",34");
		expect(json.value).toEqual([12, 34]);
	});

	test("shows a very long open number by its beginning, and the whole number once it ends", () => {
		const digits = "9".repeat(limits.openNumberChars * 3);
		expect(soFar(`[${digits}`)).toEqual([Number("9".repeat(limits.openNumberChars))]);
		expect(parse(`[${digits}]`).value).toEqual([Number(digits)]);
		expect(parse(digits)).toEqual({ value: Number(digits) });
	});

	test("grows in the containers that were returned before", () => {
		const json = new IncrementalJson();
		json.push('{"list": [');
		const root = json.value as { list: unknown[]; next?: string };
		const { list } = root;
		json.push('"a", {"b": 1}], "next": "x');
		json.push("yz");
		expect(list).toEqual(["a", { b: 1 }]);
		expect(root).toEqual({ list, next: "xyz" });
		expect(root.list).toBe(list);
	});
});

describe("the complete part of the value so far", () => {
	test.each<[prefix: string, value: unknown]>([
		["", undefined],
		["12", undefined],
		['"half', undefined],
		['"whole"', "whole"],
		["{", {}],
		['{"path": "src/ma', {}],
		['{"path": "src/main"', { path: "src/main" }],
		['{"path": "src/main", "pa', { path: "src/main" }],
		['{"path": "src/main", "n": 1', { path: "src/main" }],
		['{"path": "src/main", "n": 12 ', { path: "src/main", n: 12 }],
		['{"on": tru', {}],
		['{"on": true', { on: true }],
		['{"edits": [{"new": "a", "old": "b', { edits: [{ new: "a" }] }],
		['{"edits": [{"new": "a"}, {"old": "b"', { edits: [{ new: "a" }, { old: "b" }] }],
		['{"edits": [1, [2, 3', { edits: [1, [2]] }],
		['{"edits": [1, [2, 3]], "x": ', { edits: [1, [2, 3]] }],
		['{"a": 1, "a', { a: 1 }],
		['{"a": 1, "a":', {}],
		['{"a": 1, "a": "x', {}],
		['{"__proto__": {"a": 1, "b": 2', JSON.parse('{"__proto__": {"a": 1}}')],
	])("of %j is %j", (prefix, value) => {
		const json = new IncrementalJson();
		for (const unit of prefix.split("")) json.push(unit);
		expect(identical(json.closedValue, value)).toBe(true);
	});

	test("changes only by growing, and lacks only the open value", () => {
		fc.assert(
			fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
				const text = JSON.stringify(value);
				const whole: unknown = JSON.parse(text);
				const json = new IncrementalJson();
				for (const unit of text.split("")) {
					json.push(unit);
					const { closedValue: closed } = json;
					if (closed !== undefined) expect(isPartOf(closed, whole)).toBe(true);
					expect(leaves(json.value) - leaves(closed)).toBeOneOf([0, 1]);
				}
				if (typeof whole === "object") expect(identical(json.closedValue, whole)).toBe(true);
			}),
			{ numRuns: samples(200) },
		);
	});

	/** Strings, numbers and literals are equal in both; objects and arrays may lack members. */
	function isPartOf(part: unknown, whole: unknown): boolean {
		if (typeof part !== "object" || part === null) return identical(part, whole);
		if (typeof whole !== "object" || whole === null) return false;
		const expected = new Map(Object.entries(whole));
		return Object.entries(part).every(
			([key, value]) => expected.has(key) && isPartOf(value, expected.get(key)),
		);
	}

	function leaves(value: unknown): number {
		if (value === undefined) return 0;
		if (typeof value !== "object" || value === null) return 1;
		return Object.values(value).reduce<number>((count, inner) => count + leaves(inner), 0);
	}
});

describe("the end", () => {
	test("a tool called without arguments gets an empty object", () => {
		expect(parse()).toEqual({ value: {} });
		expect(parse("", " \n")).toEqual({ value: {} });
	});

	test.each([
		"-0",
		"1e400",
		"-1e400",
		"1E-7",
		"1e-400",
		"12345678901234567890",
		'"\\ud83d\\ude00"',
		'"\\ud83d"',
	])("%s means the same as for JSON.parse", (text) => {
		expect(identical(parse(...text.split("")).value, JSON.parse(text))).toBe(true);
	});

	test("a surrogate pair cut in two is one character again", () => {
		expect(parse('"\ud83d', '\ude00"').value).toBe("😀");
		expect(parse('"\\ud83d', '\\ude00"').value).toBe("😀");
	});

	test("a key named __proto__ is a plain field and pollutes nothing", () => {
		const { value } = parse('{"__proto__": {"polluted": "ye', 's"}, "constructor": {"prototype": "x"}}');
		expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
		expect(Object.hasOwn(value as object, "__proto__")).toBe(true);
		expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":"yes"},"constructor":{"prototype":"x"}}');
		expect("polluted" in {}).toBe(false);
	});

	test("a raw newline inside a string is accepted and noted, not malformed", () => {
		expect(parse('{"text": "one\ntwo', '\tthree"}')).toEqual({
			value: { text: "one\ntwo\tthree" },
			note: "2 raw control character(s) inside strings, the first U+000A at position 13",
		});
	});

	test.each<[text: string, value: unknown, reason: string]>([
		['{"a": "b', { a: "b" }, "ended inside a string at position 8"],
		['{"a": "b\\', { a: "b" }, "ended inside a string at position 9"],
		['{"a', {}, "ended inside a key at position 3"],
		['{"a"', {}, "ended inside an object at position 4"],
		['{"a": 1', { a: 1 }, "ended inside a number at position 7"],
		['{"a": 1,', { a: 1 }, "ended inside an object at position 8"],
		['{"a": fal', {}, "ended inside the literal false at position 9"],
		['{"a": [1 ', { a: [1] }, "ended inside an array at position 9"],
		["-", undefined, "ended inside a number at position 1"],
		["7.", 7, "ended inside a number at position 2"],
	])("a torn %j keeps the part before", (text, value, reason) => {
		expect(parse(text)).toEqual({ value, malformed: reason });
	});

	test.each<[text: string, value: unknown, reason: string]>([
		['{"a": 1}}', { a: 1 }, "unexpected '}' at position 8, after the end of the value"],
		['{"a": 1} ok', { a: 1 }, "unexpected 'o' at position 9, after the end of the value"],
		["{a: 1}", {}, "unexpected 'a' at position 1, where a quoted key or } should be"],
		['{"a": 1,}', { a: 1 }, "unexpected '}' at position 8, where a quoted key should be"],
		['{"a" 1}', {}, "unexpected '1' at position 5, where the : after a key should be"],
		["[1 2]", [1], "unexpected '2' at position 3, where a comma or ] should be"],
		['{"a": 1]', { a: 1 }, "unexpected ']' at position 7, where a comma or } should be"],
		["[,]", [], "unexpected ',' at position 1, where a value or ] should be"],
		["[1,]", [1], "unexpected ']' at position 3, where a value should begin"],
		["[01]", [0], "unexpected '1' at position 2, where a comma or ] should be"],
		["[1.x]", [1], "unexpected 'x' at position 3, inside a number"],
		["[nul]", [], "unexpected ']' at position 4, inside the literal null"],
		['["C:\\Users"]', ["C:"], "unexpected 'U' at position 5, inside an escape sequence"],
		['["\\u12x4"]', [""], "unexpected 'x' at position 6, inside an escape sequence"],
		["\u001b[31m", undefined, "unexpected U+001B at position 0, where a value should begin"],
	])("a broken %j reports where, and keeps the part before", (text, value, reason) => {
		expect(parse(text)).toEqual({ value, malformed: reason });
		expect(parse(...text.split(""))).toEqual({ value, malformed: reason });
	});

	test("nesting is read up to its bound and refused beyond it", () => {
		const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
		const deepest = nested(limits.jsonDepth);
		expect(parse(deepest)).toEqual({ value: JSON.parse(deepest) });
		expect(parse(nested(limits.jsonDepth + 1)).malformed).toBe(
			"nested deeper than 512 levels at position 512",
		);
		const wide = `[${'{"a":[]},'.repeat(limits.jsonDepth)}0]`;
		expect(parse(wide).malformed).toBeUndefined();
	});
});

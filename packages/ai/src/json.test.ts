/** JSON from and to servers tolerates irregular content. */
import { expect, test } from "bun:test";
import * as fc from "fast-check";

import { count, parseObject, writeBody, writeJson, written } from "./json.ts";

test("half a surrogate pair is replaced, in texts and in names, and nothing else is changed", () => {
	const json = fc.json({ stringUnit: "binary" }).map((text): unknown => JSON.parse(text));
	fc.assert(
		fc.property(json, (value) => {
			const text = writeJson(value);
			expect(text.isWellFormed()).toBe(true);
			expect(JSON.stringify(JSON.parse(text))).not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/);
			expect(text.length).toBeLessThanOrEqual(JSON.stringify(value).length);
		}),
	);
	expect(writeJson({ "\ud83d": ["\udc4d", "👍", "\\ud83d", "\\\ud83d"] })).toBe(
		'{"\ufffd":["\ufffd","👍","\\\\ud83d","\\\\\ufffd"]}',
	);
});

test.each(["", "[]", "null", "7", '"x"', "{", '{"a":1}x'])("%j is not an object", (text) => {
	expect(parseObject(text)).toBeUndefined();
});

test.each([
	[7, 7],
	[-7, 0],
	[Number.NaN, 0],
	[Number.POSITIVE_INFINITY, 0],
	["7", 0],
	[null, 0],
])("the count of %p is %p", (value, expected) => {
	expect(count(value)).toBe(expected);
});

test("a body is the same JSON however its lists have grown, shrunk or branched since the last one", () => {
	const long = "x".repeat(70_000);
	const texts = fc.constantFrom("a", "ä", "\ud83d", long);
	const steps = fc.array(
		fc.record({ from: fc.nat({ max: 6 }), texts: fc.array(texts, { maxLength: 3 }), lasts: fc.boolean() }),
		{ maxLength: 8 },
	);
	fc.assert(
		fc.property(steps, (all) => {
			let list: object[] = [];
			for (const { from, texts: added, lasts } of all) {
				const items = added.map((text) => ({ text }));
				list = [...list.slice(0, from), ...(lasts ? items.map((item) => written(item)) : items)];
				const body = { model: "m", messages: list, tools: [], none: undefined };
				expect(writeBody(body)).toBe(writeJson(body));
			}
		}),
	);
});

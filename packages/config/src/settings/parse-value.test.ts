/** The text that a user writes for a setting is parsed to its value, and formatted back. */
import { describe, expect, test } from "bun:test";

import fc from "fast-check";

import { parseValue, formatValue } from "./parse-value.ts";
import { findSetting } from "./schema.ts";

function read(path: string, text: string): unknown {
	const named = findSetting(path);
	if (!named) throw new Error(`there is no ${path}`);
	return parseValue(named, text);
}

test.each([
	["retry.enabled", "Yes", true],
	["retry.enabled", "0", false],
	["retry.enabled", "perhaps", "perhaps"],
	["retry.maxRetries", "-1.5e2", -150],
	["retry.maxRetries", "many", "many"],
	["theme", "dark", "dark"],
	["enabledModels", " a/* , b ,", ["a/*", "b"]],
	["enabledModels", '["a, b", "c"]', ["a, b", "c"]],
	["enabledModels", "[broken", "[broken"],
	["modelRoles", "default=a/b, smol=c", { default: "a/b", smol: "c" }],
	["modelRoles", "no pair", "no pair"],
	["modelRoles.smol", "a, b", "a, b"],
])("%s: %p is %p", (path, text, value) => {
	expect(read(path, text)).toEqual(value);
});

describe("the text of a value", () => {
	test.each([
		[undefined, ""],
		[null, ""],
		[false, "false"],
		[["a", "b"], "a, b"],
		[{ a: "x", b: "y" }, "a=x, b=y"],
		["with \x1b[31mcolor", "with color"],
	])("%p is %p", (value, text) => {
		expect(formatValue(value)).toBe(text);
	});

	test("is parsed back to the same value", () => {
		const word = fc.stringMatching(/^[a-z*/.:-]{1,12}$/);
		fc.assert(
			fc.property(fc.array(word), fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), word), (list, table) => {
				expect(read("enabledModels", formatValue(list))).toEqual(list);
				expect(read("modelRoles", formatValue(table))).toEqual({ ...table });
			}),
		);
	});
});

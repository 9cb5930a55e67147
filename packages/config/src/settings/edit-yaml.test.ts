/** An edit changes one setting and no other byte; if it cannot, the text stays unchanged. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { anyCharacter } from "../../../../test/support/any-character.ts";
import { editYaml } from "./edit-yaml.ts";

function edited(text: string, key: string, value: unknown): string {
	const outcome = editYaml(text, [{ path: key.split("."), value }]);
	if (!outcome.ok) throw new Error(outcome.reason);
	return outcome.text;
}

function reason(text: string, key: string, value: unknown): string {
	const outcome = editYaml(text, [{ path: key.split("."), value }]);
	if (outcome.ok) throw new Error(`it was changed: ${outcome.text}`);
	return outcome.line === undefined ? outcome.reason : `${outcome.line}: ${outcome.reason}`;
}

const file = `# my settings
theme:   dark      # later

retry:   # as often as it takes
    enabled:   true  # always
    maxRetries: 3

# what I pay for
enabledModels:
  - "openai/*"   # work
  - b
modelRoles: {default: a/b,   smol: c}   # flow
empty:
queue: 'all'
# the end
`;

describe("every other byte stays", () => {
	const edits: [promise: string, key: string, value: unknown, from: string, to: string][] = [
		["a value is replaced", "retry.enabled", false, "enabled:   true ", "enabled:   false "],
		["a quoted one too", "queue", "one", "queue: 'all'", "queue: one"],
		["a list", "enabledModels", ["x"], '  - "openai/*"   # work\n  - b\n', "  - x\n"],
		["a list becomes empty", "enabledModels", [], '  - "openai/*"   # work\n  - b\n', "  []\n"],
		["an entry of a flow table", "modelRoles.smol", "d:high", "smol: c}", "smol: d:high}"],
		["a new entry of a flow table", "modelRoles.slow", "e", "smol: c}", "smol: c, slow: e}"],
		["a flow table as a whole", "modelRoles", { plan: "p" }, "{default: a/b,   smol: c}", "{ plan: p }"],
		[
			"a block table as a whole",
			"retry",
			{ a: 1 },
			"enabled:   true  # always\n    maxRetries: 3\n",
			"a: 1\n",
		],
		["a key without a value gets one", "empty", 5, "empty:\n", "empty: 5\n"],
		["a key without a value becomes a group", "empty.deep", 5, "empty:\n", "empty: { deep: 5 }\n"],
		[
			"a new key in a group comes after the others, with their indentation",
			"retry.baseDelayMs",
			10,
			"    maxRetries: 3\n",
			"    maxRetries: 3\n    baseDelayMs: 10\n",
		],
		["a new key comes at the end", "last", true, "queue: 'all'\n", "queue: 'all'\nlast: true\n"],
		["a new group too", "budget.maxCost", 2.5, "queue: 'all'\n", "queue: 'all'\nbudget:\n  maxCost: 2.5\n"],
		["a key is removed", "retry.maxRetries", undefined, "    maxRetries: 3\n", ""],
		["with the remark behind it", "theme", undefined, "theme:   dark      # later\n", ""],
		["one of a flow table", "modelRoles.default", undefined, "default: a/b,   ", ""],
		["the last of a flow table", "modelRoles.smol", undefined, ",   smol: c", ""],
		["a key without a value", "empty", undefined, "empty:\n", ""],
	];
	test.each(edits)("%s", (_, key, value, from, to) => {
		const expected = file.replace(from, () => to);
		expect(expected).not.toBe(file);
		expect(edited(file, key, value)).toBe(expected);
		const crlf = (text: string): string => text.replaceAll("\n", "\r\n");
		expect(edited(crlf(file), key, value)).toBe(crlf(expected));
		expect(edited(`\uFEFF${file}`, key, value)).toBe(`\uFEFF${expected}`);
	});
});

test.each([
	["", "a.b", 1, "a:\n  b: 1\n"],
	["# only words", "a", 1, "# only words\na: 1\n"],
	["a: 1", "b", 2, "a: 1\nb: 2\n"],
	["---\na: 1\n", "b", 2, "---\na: 1\nb: 2\n"],
	["retry:\n  enabled: true\n", "retry.enabled", undefined, ""],
	["a: 1\nretry:\n  # why\n  enabled: true\n", "retry.enabled", undefined, "a: 1\n"],
	["a: { b: { c: 1 } }\nd: 1\n", "a.b.c", undefined, "d: 1\n"],
	["a: 1", "a", undefined, ""],
])("%j: %s becomes %j", (text, key, value, expected) => {
	expect(edited(text, key, value)).toBe(expected);
});

test("a value that is already set is not touched, however it is written", () => {
	const text = "retry: {  enabled : true }\n";
	expect(edited(text, "retry.enabled", true)).toBe(text);
	expect(edited(text, "retry.maxRetries", undefined)).toBe(text);
	expect(edited(text, "other.thing", undefined)).toBe(text);
});

describe("anchors", () => {
	test("a group that refers to another gets its own copy, and the other stays", () => {
		const after = edited("base: &b\n  enabled: true # yes\nretry: *b\n", "retry.enabled", false);
		expect(Bun.YAML.parse(after)).toEqual({ base: { enabled: true }, retry: { enabled: false } });
		expect(after).toContain("# yes");
	});

	test("a value that others refer to is not changed for them", () => {
		const text = "retry: &r\n  enabled: true\nother: *r\n";
		expect(reason(text, "retry.enabled", false)).toContain("Change retry.enabled by hand");
	});

	test("a merged group keeps what it inherits from the other", () => {
		const after = edited("base: &b {x: 1}\nretry:\n  <<: *b\n  y: 2\n", "retry.y", 3);
		expect(after).toBe("base: &b {x: 1}\nretry:\n  <<: *b\n  y: 3\n");
	});
});

describe("a text that cannot be changed safely is left unchanged, and the reason is reported", () => {
	test.each([
		["a: [1, 2\nb: }\n", /^\d+: is not valid YAML/],
		["- a\n- b\n", /not a group/],
		["text\n", /not a group/],
		["a: 1\n---\nb: 2\n", /not a group/],
		["x: 1\nx: 2\n", /Change x by hand/],
	])("%j", (text, message) => {
		expect(reason(text, "x", 3)).toMatch(message);
	});

	test("a number in place of a group is replaced only as a whole", () => {
		expect(Bun.YAML.parse(edited("retry: 5 # five\nb: 1\n", "retry.enabled", true))).toEqual({
			retry: { enabled: true },
			b: 1,
		});
	});
});

test("property: any text as a value is read back unchanged", () => {
	fc.assert(
		fc.property(fc.string({ unit: anyCharacter }), fc.boolean(), (value, isDeep) => {
			// A lone surrogate is not a character, and no file can contain it.
			fc.pre(value.isWellFormed());
			const after = edited(file, isDeep ? "modelRoles.smol" : "retry.name", value);
			const { retry, modelRoles } = Bun.YAML.parse(after) as Record<string, Record<string, unknown>>;
			expect(isDeep ? modelRoles?.smol : retry?.name).toBe(value);
		}),
	);
});

test("property: setting and unsetting in any order leaves the meaning of the rest unchanged", () => {
	const key = fc.constantFrom(
		"retry.enabled",
		"retry.new",
		"modelRoles.slow",
		"enabledModels",
		"top",
		"deep.er.still",
	);
	const value = fc.oneof(
		fc.constant(undefined),
		fc.boolean(),
		fc.integer(),
		fc.string(),
		fc.array(fc.string()),
	);
	fc.assert(
		fc.property(fc.array(fc.tuple(key, value), { maxLength: 8 }), (changes) => {
			let text = file;
			for (const [name, each] of changes) text = edited(text, name, each);
			const { theme, queue } = Bun.YAML.parse(text) as Record<string, unknown>;
			expect({ theme, queue }).toEqual({ theme: "dark", queue: "all" });
			for (const remark of ["# my settings", "# later", "# what I pay for", "# flow", "# the end"]) {
				expect(text).toContain(remark);
			}
		}),
	);
});

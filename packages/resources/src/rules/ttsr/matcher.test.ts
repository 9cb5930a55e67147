/** Conditions match in streams exactly where the engine matches whole texts, whatever the chunks. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { samples } from "../../../../../test/support/depth.ts";
import { compileCondition, type Condition } from "./condition.ts";
import { limits } from "./limits.ts";
import { ConditionSet, StreamWatch } from "./stream-watch.ts";

function conditionOf(text: string): Condition {
	const compiled = compileCondition(text);
	if (!compiled.ok) throw new Error(`${text}: ${compiled.reason}`);
	return compiled.condition;
}

/** Which of the conditions match a text that arrives in these chunks. */
function met(conditions: readonly Condition[], pieces: readonly string[]): number[] {
	const watch = new StreamWatch(new ConditionSet(conditions), () => true);
	return [...pieces.flatMap((piece) => watch.push(piece)), ...watch.end()].toSorted((a, b) => a - b);
}

function cut(text: string, places: readonly number[]): string[] {
	const at = [0, ...places.map((place) => place % (text.length + 1)), text.length].toSorted((a, b) => a - b);
	return at.slice(1).map((to, index) => text.slice(at[index], to));
}

const letters = fc.constantFrom("a", "b", "A", "1", " ", "\n", ".", "é", "😀");
const texts = fc.array(letters, { maxLength: 40 }).map((list) => list.join(""));
const atoms = fc.constantFrom(
	"a",
	"b",
	"ab",
	"ba",
	"[ab]",
	"[^a]",
	".",
	"\\w",
	"\\s",
	"\\.",
	"\\n",
	"é",
	"\\x61",
	"^",
	"$",
	"\\b",
	"\\B",
);
const { regex: regexes } = fc.letrec<{ regex: string; item: string }>((tie) => ({
	item: fc.oneof(
		{ maxDepth: 3 },
		atoms,
		tie("regex").map((inner) => `(?:${inner})`),
		tie("regex").map((inner) => `(${inner})`),
		fc
			.tuple(tie("regex"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"))
			.map(([inner, times]) => `(?:${inner})${times}`),
	),
	regex: fc.oneof(
		{ maxDepth: 3 },
		fc.array(tie("item"), { minLength: 1, maxLength: 4 }).map((items) => items.join("")),
		fc.array(tie("item"), { minLength: 2, maxLength: 3 }).map((items) => items.join("|")),
	),
}));
const flags = fc.constantFrom("", "i", "s", "u");

test("property: a condition is met exactly if the engine matches the whole text, however it is chunked", () => {
	fc.assert(
		fc.property(regexes, flags, texts, fc.array(fc.nat(), { maxLength: 8 }), (source, flag, text, places) => {
			const expected = new RegExp(source, `${flag}m`).test(text);
			expect(met([conditionOf(`/${source}/${flag}`)], cut(text, places))).toEqual(expected ? [0] : []);
		}),
		{ numRuns: samples(3000) },
	);
});

test("property: conditions with lookarounds match the same texts however they are chunked", () => {
	const looking = fc
		.tuple(fc.constantFrom("(?=", "(?!", "(?<=", "(?<!"), atoms, atoms, atoms)
		.map(([open, inside, before, after]) => conditionOf(`${before}${open}${inside})${after}`));
	fc.assert(
		fc.property(
			fc.array(looking, { minLength: 1, maxLength: 4 }),
			texts,
			fc.array(fc.nat(), { maxLength: 8 }),
			(conditions, text, places) => {
				expect(met(conditions, cut(text, places))).toEqual(met(conditions, [text]));
			},
		),
	);
});

test("property: a long text has the same triggers however it is chunked", () => {
	const conditions = [
		"lodash",
		"foo.*bar",
		"foo[^;]*;",
		"(?i)todo",
		"\\bvar\\b",
		"x(?!y)",
		"^import .* from 'a'",
		"\\d{3}",
		"end$",
	].map(conditionOf);
	const words = fc.constantFrom(
		"lodash",
		"foo",
		"bar",
		";",
		"TODO",
		"var",
		"varied",
		"x",
		"xy",
		"import b from 'a'",
		"12",
		"345",
		"end",
		"\n",
		" ",
		"y".repeat(900),
	);
	fc.assert(
		fc.property(fc.array(words, { maxLength: 60 }), fc.array(fc.nat(), { maxLength: 20 }), (list, places) => {
			const text = list.join(" ");
			expect(met(conditions, cut(text, places))).toEqual(met(conditions, [text]));
		}),
	);
});

describe("a condition", () => {
	test("is met as soon as it matches, not at the end of the line", () => {
		const watch = new StreamWatch(new ConditionSet([conditionOf("lodash")]), () => true);
		expect(watch.push("I use lod")).toEqual([]);
		expect(watch.push("a")).toEqual([]);
		expect(watch.push("sh for")).toEqual([0]);
		expect(watch.push("lodash")).toEqual([]);
	});

	test("sees the text before the word that it starts with, and before its other words", () => {
		const conditions = ["^lodash", "\\blodash", "x(?:foo|bar)"].map(conditionOf);
		expect(met(conditions, ["I use my", "lodash"])).toEqual([]);
		expect(met(conditions, ["I use ", "lodash"])).toEqual([1]);
		expect(met(conditions, ["I use\n", "lodash, xfoo"])).toEqual([0, 1, 2]);
	});

	test("with a lookahead waits for the end of the line", () => {
		const condition = conditionOf("console\\.log(?!.*debug)");
		const watch = new StreamWatch(new ConditionSet([condition]), () => true);
		expect(watch.push("console.log(1);")).toEqual([]);
		expect(watch.push(" // debug\n")).toEqual([]);
		expect(watch.push("console.log(2);\n")).toEqual([0]);
	});

	test("may span lines", () => {
		expect(met([conditionOf("try \\{\\s*\\} catch")], ["try {\n", "\t\n", "} catch {}"])).toEqual([0]);
	});

	test("that spans lines continues after its word, within the window", () => {
		const condition = conditionOf("foo\\s*\\d");
		expect(met([condition], ["foo\n", "\n", "  12"])).toEqual([0]);
		const far = `foo\n${"x\n".repeat(limits.windowChars / 2 - 7)}foo\n${"\n".repeat(20)}1`;
		expect(met([condition], [...far])).toEqual([0]);
	});

	test("with a lookahead to the next line waits for it", () => {
		const condition = conditionOf("return;\\n(?!\\})");
		expect(met([condition], ["return;\n", "}\n"])).toEqual([]);
		expect(met([condition], ["return;\n", "x\n"])).toEqual([0]);
	});

	test("accepts the flags of other languages", () => {
		expect(met([conditionOf("(?i)lodash")], ["LODASH"])).toEqual([0]);
		expect(met([conditionOf("/lodash/gi")], ["LoDash"])).toEqual([0]);
		expect(met([conditionOf("lodash")], ["LODASH"])).toEqual([]);
	});

	test.each(["(", "[", "(?<a", "", "/(?i)/", "a{4000}", `${"a".repeat(limits.conditionChars)}b`])(
		"that cannot be used says why: %p",
		(text) => {
			expect(compileCondition(text)).toMatchObject({ ok: false, reason: expect.stringMatching(/\w{2}/) });
		},
	);

	test("waits for its rarest word, and not for a common one", () => {
		expect(conditionOf("function\\s+oldName").words).toEqual(["oldname"]);
		expect(conditionOf("return null").words).toEqual(["return null"]);
		expect(conditionOf("function").words).toEqual(["function"]);
	});

	test("that could take exponential time is matched in one pass, or refused", () => {
		const text = `${"a".repeat(50_000)}\n${"ab ".repeat(20_000)}`;
		expect(
			met([conditionOf("(a+)+!"), conditionOf(".*a.*b.*c.*d"), conditionOf("(a|aa)+$1")], [text]),
		).toEqual([]);
		expect(met([conditionOf("(?:ab)+c")], [`${"ab".repeat(200_000)} `])).toEqual([]);
		expect(compileCondition("(a+)+(?=!)")).toMatchObject({
			ok: false,
			reason: expect.stringContaining("forever"),
		});
		expect(compileCondition("(\\w)(a|aa)+\\1")).toMatchObject({ ok: false });
		expect(compileCondition(".*a.*b.*c.*(?=d)")).toMatchObject({ ok: false });
	});

	test.each([
		"(?i:(a+)+)!",
		"(?i:a+b|(?:a|aa)+)!",
		"/(a+)+!/v",
		"(a?){28}a{28}(?=b)",
		`${"a?".repeat(30)}${"a".repeat(30)}(?=b)`,
	])("regression: %s is rejected, which took forever", (text) => {
		expect(compileCondition(text)).toMatchObject({
			ok: false,
			reason: expect.stringMatching(/forever|flag v/),
		});
	});

	test("that changes flags in a group, or has short repetitions beside a lookaround, is used", () => {
		expect(met([conditionOf("(?i:lodash)\\d")], ["LoDash1"])).toEqual([0]);
		expect(met([conditionOf("[a-z]{1,20}\\s{0,5}=(?!=)")], ["value  = 1\n"])).toEqual([0]);
	});
});

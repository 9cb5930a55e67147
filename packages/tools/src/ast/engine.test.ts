/** Code is matched and rewritten by its structure, in every supported language. */
import { describe, expect, test } from "bun:test";

import * as fc from "fast-check";

import {
	findStructure,
	languageNamed,
	languageOf,
	languages,
	rewrite,
	type Language,
	type Match,
} from "./index.ts";
import { anyCharacter } from "../../../../test/support/any-character.ts";

function named(name: string): Language {
	const language = languageNamed(name);
	if ("unknown" in language) throw new Error(language.unknown);
	return language;
}

const all = { matches: 10_000, outermost: false };

async function find(name: string, text: string, pattern: string): Promise<Match[]> {
	const outcome = await findStructure({ language: named(name), text, pattern, ...all });
	if (!outcome.ok) throw new Error(outcome.reason);
	return outcome.value.matches;
}

const samples: [language: string, text: string, pattern: string, first: string][] = [
	["typescript", "const a: number = log(1);\nlog (2);", "log($A)", "log(1)"],
	["tsx", "const a = <b c={1}>d</b>;", "<b c={$C}>d</b>", "<b c={1}>d</b>"],
	["javascript", "a.b(function () { return 1 })", "return $X", "return 1"],
	["html", "<p class='x'>hi</p>", "<p class='x'>hi</p>", "<p class='x'>hi</p>"],
	["css", "a { color: red; }\nb { c: d }", "a { color: red; }", "a { color: red; }"],
	["python", "def f(x):\n    return print(x)\n", "print($A)", "print(x)"],
	["go", "package a\nfunc f() { if a { return 1 } }", "if $C { return $X }", "if a { return 1 }"],
	["rust", "fn main() { foo(1).unwrap(); }", "$A.unwrap()", "foo(1).unwrap()"],
	["java", "class A { void f() { g(1); } }", "g($A)", "g(1)"],
	["c", "int main(void) { return f(2); }", "return $A;", "return f(2);"],
	["bash", "if true; then echo hi; fi", "echo hi", "echo hi"],
	["json", '{ "a": [1, 2] }', "[1, 2]", "[1, 2]"],
	["yaml", "a:\n  b: 1\n", "b: 1", "b: 1"],
];

test.each(samples)("%s is parsed", async (language, text, pattern, first) => {
	expect((await find(language, text, pattern))[0]?.text).toBe(first);
});

test("every supported language has a sample here", () => {
	expect(samples.map(([name]) => name).toSorted()).toEqual(languages.map(({ name }) => name).toSorted());
});

describe("a match", () => {
	test("has its position, also after wide characters", async () => {
		const text = 'const s = "世界 👪";\n\tlog(s, 1);';
		const [match] = await find("ts", text, "log($A, $B)");
		expect(match).toMatchObject({ line: 2, column: 2, names: { A: "s", B: "1" } });
		expect(text.slice(match?.start, match?.end)).toBe("log(s, 1)");
	});

	test("of several nodes keeps their original text", async () => {
		const [match] = await find("ts", "f(a,  b /* c */, d)", "f($$$ARGS)");
		expect(match?.names).toEqual({ ARGS: "a,  b /* c */, d" });
		expect((await find("ts", "f()", "f($$$ARGS)"))[0]?.names).toEqual({ ARGS: "" });
	});

	test("is never a comment or a string that only looks like one", async () => {
		expect(await find("ts", "// log(1)\nconst t = 'log(1)';", "log($A)")).toEqual([]);
	});
});

describe("rewriting", () => {
	const cases: [what: string, text: string, pattern: string, to: string, after: string][] = [
		[
			"names are carried over",
			"assert(a == b)",
			"assert($A == $B)",
			"assertEqual($A, $B)",
			"assertEqual(a, b)",
		],
		["lists are carried over", "f(1, 2)", "f($$$A)", "g(0, $$$A)", "g(0, 1, 2)"],
		["all of them", "log(1); log(2)", "log($A)", "$A", "1; 2"],
		["the outer one of two", "f(f(1))", "f($A)", "g($A)", "g(f(1))"],
		["nothing if nothing matches", "a()", "b()", "c()", "a()"],
		["unknown names stay", "f(1)", "f($A)", "g($A, $B)", "g(1, $B)"],
		[
			"lines are indented like the match",
			"\tif (a) b();",
			"if ($C) $X",
			"if ($C) {\n\t$X\n}",
			"\tif (a) {\n\t\tb();\n\t}",
		],
		["dollars of the code itself stay", "f(a$1)", "f($A)", "g($A, '$1')", "g(a$1, '$1')"],
	];
	test.each(cases)("%s", async (_, text, pattern, to, after) => {
		expect(rewrite(text, await find("ts", text, pattern), to).text).toBe(after);
	});

	test("by the pattern itself changes nothing", async () => {
		const word = fc.stringMatching(/^[a-z]{1,5}$/);
		await fc.assert(
			fc.asyncProperty(fc.array(fc.tuple(word, word)), async (calls) => {
				const text = calls.map(([name, arg]) => `${name}_(${arg}_);`).join("\n");
				const matches = await find("ts", text, "$F($A)");
				expect(matches).toHaveLength(calls.length);
				expect(rewrite(text, matches, "$F($A)").text).toBe(text);
			}),
			{ numRuns: 30 },
		);
	});
});

describe("an error is reported for", () => {
	test("a pattern that is not code", async () => {
		const outcome = await findStructure({ language: named("ts"), text: "a", pattern: "foo(; bar", ...all });
		expect(outcome.ok ? "" : outcome.reason).toContain("foo(; bar");
	});

	test("an empty pattern", async () => {
		expect((await findStructure({ language: named("ts"), text: "a", pattern: "", ...all })).ok).toBe(false);
	});

	test("an unknown language", () => {
		expect(languageNamed("pyton")).toEqual({ unknown: 'Unknown language "pyton". Did you mean python?' });
	});

	test("property: no text makes it throw", async () => {
		await fc.assert(
			fc.asyncProperty(fc.string({ unit: anyCharacter }), async (text) => {
				expect((await findStructure({ language: named("ts"), text, pattern: "a($B)", ...all })).ok).toBe(
					true,
				);
			}),
			{ numRuns: 100 },
		);
	});
});

test("the language of a file is determined by its name", () => {
	expect(languageOf("/a/b.TSX")?.name).toBe("tsx");
	expect(languageOf("/a/.bashrc")).toBeUndefined();
	expect(languageOf("Makefile")).toBeUndefined();
});

describe("nested code", () => {
	const deep = `${"f(".repeat(30_000)}${")".repeat(30_000)}`;

	test("is limited in the number of matches and the length of their text", async () => {
		const before = process.memoryUsage().rss;
		const bounds = { matches: 50, outermost: false, chars: 100 };
		const outcome = await findStructure({ language: named("ts"), text: deep, pattern: "f($A)", ...bounds });
		if (!outcome.ok) throw new Error(outcome.reason);
		expect(outcome.value.isCut).toBe(true);
		expect(outcome.value.matches).toHaveLength(50);
		expect(Math.max(...outcome.value.matches.map(({ text }) => text.length))).toBe(100);
		expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
	});

	test("is limited by the total length when whole matches are requested", async () => {
		const outcome = await findStructure({ language: named("ts"), text: deep, pattern: "f($A)", ...all });
		if (!outcome.ok) throw new Error(outcome.reason);
		expect(outcome.value.isCut).toBe(true);
		expect(outcome.value.matches.length).toBeLessThan(200);
	});

	test("is one match for a rewrite", async () => {
		const bounds = { matches: 5000, outermost: true };
		const outcome = await findStructure({ language: named("ts"), text: deep, pattern: "f($A)", ...bounds });
		expect(outcome.ok && outcome.value.matches.length).toBe(1);
	});
});

test("an abort ends the parser", async () => {
	const stop = new AbortController();
	const text = "f(1);\n".repeat(300_000);
	const running = findStructure({
		language: named("ts"),
		text,
		pattern: "f($A)",
		...all,
		signal: stop.signal,
	});
	stop.abort(new Error("Escape"));
	await expect(running).rejects.toThrow("Escape");
});

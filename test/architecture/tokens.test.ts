/** The tokenizer separates code from comments and strings, whatever surrounds them. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { anyCharacter } from "../support/any-character.ts";
import { codeTokens, comments, tokenize } from "./tokens.ts";

function kinds(source: string): string[] {
	return codeTokens(tokenize(source)).map(({ kind, text }) => `${kind} ${text}`);
}

describe("tokens", () => {
	test("a comment mark inside a string is text", () => {
		expect(kinds(`a("// no", '/* no */')`)).toEqual([
			"name a",
			"punct (",
			"string // no",
			"punct ,",
			"string /* no */",
			"punct )",
		]);
	});

	test("a quote inside a comment or a regular expression opens no string", () => {
		expect(kinds(`/* it's */ x = /["'\`/]+/g; // don't\ny`)).toEqual([
			"name x",
			"punct =",
			`regex ["'\`/]+`,
			"punct ;",
			"name y",
		]);
	});

	test("a division is not a regular expression", () => {
		expect(kinds("a / b / c; (d) / e; f[0] / 2")).not.toContainEqual(expect.stringMatching(/^regex/));
	});

	test("code in an interpolation is code, including braces and templates", () => {
		const text = kinds("`one ${f({ a: `two ${b}` })} three`");
		expect(text).toContain("template one   three");
		expect(text).toContain("template two  ");
		expect(text).toContain("name b");
	});

	test("an apostrophe in JSX text affects at most its line", () => {
		expect(kinds("<p>don't</p>\nconsole.log()")).toContain("name console");
	});

	test("lines are counted through templates, comments and continued strings", () => {
		const source = "`a\n${b}\n`\n/*\n*/\n'x\\\ny'\nlast";
		expect(tokenize(source).at(-1)).toEqual({ kind: "name", text: "last", line: 8 });
	});

	test("comments are found inside interpolations too", () => {
		expect(comments(tokenize("// a\n`${/* b */ c}`")).map(({ text }) => text)).toEqual(["// a", "/* b */"]);
	});

	test("any text is tokenized to its end", () => {
		const nasty = fc.array(
			fc.constantFrom("`", "${", "}", "{", "/", "*", "'", '"', "\\", "\n", "a", "😀", "["),
		);
		fc.assert(
			fc.property(
				fc.oneof(
					fc.string({ unit: anyCharacter }),
					nasty.map((parts) => parts.join("")),
				),
				(source) => {
					const lines = source.split("\n").length;
					for (const { kind, text, line } of tokenize(source)) {
						expect(line).toBeWithin(1, lines + 1);
						if (kind !== "template") expect(source).toContain(text);
					}
				},
			),
		);
	});

	test("a name after any sequence of complete tokens is found, on its line", () => {
		const piece = fc.constantFrom(
			"'it'",
			'"\\""',
			"`a${`b${1}`}`",
			"/* ' */",
			"// `\n",
			"= /[/'`]/u;",
			"{}",
			"\n",
		);
		fc.assert(
			fc.property(fc.array(piece), (pieces) => {
				const before = pieces.join(" ");
				const marker = tokenize(`${before}\nmarker`).at(-1);
				expect(marker).toEqual({ kind: "name", text: "marker", line: before.split("\n").length + 1 });
			}),
		);
	});
});

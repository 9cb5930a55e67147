/** Highlighted code has the same characters, is highlighted once, and never makes drawing slow. */
// isolated: it looks at languages that nobody has loaded yet.
import { beforeAll, describe, expect, test } from "bun:test";

import * as fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { readable, tokenTheme } from "../components/testing/token-theme.ts";
import { builtinTheme } from "../theme/index.ts";
import {
	getLanguageFromPath,
	highlightCode,
	linePainter,
	loadLanguage,
	onHighlighterReady,
} from "./index.ts";
import { grammars } from "./languages.ts";
import { highlightLimits } from "./limits.ts";
import { LineHighlighter } from "./line-highlighter.ts";

const code = `/* a comment
   in two lines */
export class Box<T> extends Base {
	name = "text" + 42;
	run(value: T): string { return \`a \${value} b\`; }
}`;

beforeAll(async () => {
	for (const language of ["ts", "python", "html"]) await loadLanguage(language);
});

test("a language is loaded by the first code that needs it, and listeners are notified", async () => {
	const loaded = Promise.withResolvers<void>();
	const stop = onHighlighterReady(loaded.resolve);
	const theme = builtinTheme("dark", "truecolor");
	const before = highlightCode("signal a : bit;", "vhdl", theme);
	expect(await loadLanguage("vhdl")).toBe(true);
	await loaded.promise;
	stop();
	expect(before).toEqual([theme.fg("mdCodeBlock", "signal a : bit;")]);
	expect(highlightCode("signal a : bit;", "vhdl", theme)[0]).toContain(theme.getFgAnsi("syntaxKeyword"));
	expect(await loadLanguage("klingon")).toBe(false);
});

test("keywords, names, strings, numbers and comments have the colors of the theme", () => {
	expect(`\n${highlightCode(code, "ts", tokenTheme).map(readable).join("\n")}\n`).toMatchInlineSnapshot(`
	  "
	  ‹syntaxComment›/* a comment‹/›
	  ‹syntaxComment›   in two lines */‹/›
	  ‹syntaxKeyword›export‹/›‹mdCodeBlock› ‹/›‹syntaxKeyword›class‹/›‹mdCodeBlock› ‹/›‹syntaxType›Box‹/›‹mdCodeBlock›<T> ‹/›‹syntaxKeyword›extends‹/›‹mdCodeBlock› ‹/›‹syntaxType›Base‹/›‹mdCodeBlock› {‹/›
	  ‹mdCodeBlock›   name = ‹/›‹syntaxString›"text"‹/›‹mdCodeBlock› + ‹/›‹syntaxNumber›42‹/›‹mdCodeBlock›;‹/›
	  ‹mdCodeBlock›   ‹/›‹syntaxFunction›run‹/›‹mdCodeBlock›(‹/›‹syntaxVariable›value‹/›‹mdCodeBlock›: T): ‹/›‹syntaxFunction›string‹/›‹mdCodeBlock› { ‹/›‹syntaxKeyword›return‹/›‹mdCodeBlock› ‹/›‹syntaxString›\`a ‹/›‹syntaxVariable›\${value}‹/›‹syntaxString› b\`‹/›‹mdCodeBlock›; }‹/›
	  ‹mdCodeBlock›}‹/›
	  "
	`);
});

test("a construct of many lines keeps its color to its end", () => {
	const lines = ['"""', ...Array.from({ length: 60 }, (_, at) => `line ${at} if not`), '"""', "if x: pass"];
	const painted = highlightCode(lines.join("\n"), "python", tokenTheme).map(readable);
	expect(painted.slice(1, 61).every((line) => line.startsWith("‹syntaxString›line"))).toBe(true);
	expect(painted.at(-1)).toStartWith("‹syntaxKeyword›if");
});

test("embedded languages are highlighted too", () => {
	const [line = ""] = highlightCode("<script>const a = 1;</script>", "html", tokenTheme).map(readable);
	expect(line).toContain("‹syntaxKeyword›const");
});

test("highlighting never changes a character, in any language", async () => {
	const names = Object.keys(grammars);
	await Promise.all(names.map((name) => loadLanguage(name)));
	const piece = fc.constantFrom(
		..."ab1 \"'`(){}<>/*#-=\\\n&;:",
		"<!--",
		"${",
		"/*",
		"function ",
		'"""',
		"漢",
	);
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 30 }), fc.constantFrom(...names), (parts, name) => {
			const text = parts.join("");
			const lines = highlightCode(text, name, tokenTheme).map((line) => Bun.stripANSI(line));
			expect(lines.join("\n")).toBe(text);
		}),
		{ numRuns: samples(400) },
	);
});

describe("while code streams", () => {
	test("each line gets its final colors at once", () => {
		const painter = linePainter("ts", tokenTheme);
		const lines = code.replaceAll("\t", "   ").split("\n");
		expect(lines.map((line) => painter.push(line))).toEqual(
			highlightCode(lines.join("\n"), "ts", tokenTheme),
		);
	});

	test("peeking at an incomplete line changes nothing", () => {
		const painter = linePainter("ts", tokenTheme);
		painter.peek("/* open");
		expect(readable(painter.push("const a"))).toStartWith("‹syntaxKeyword›const");
	});
});

describe("text that is not highlighted", () => {
	test.each([
		["an unknown language", "const a = 1;", "klingon"],
		["no language", "const a = 1;", undefined],
		["a name of every object", "const a = 1;", "constructor"],
		["a line that is too long", `const a = "${"x".repeat(highlightLimits.lineChars)}";`, "ts"],
	])("%s is shown plainly", (_, text, language) => {
		expect(highlightCode(text, language, tokenTheme).map(readable)).toEqual([`‹mdCodeBlock›${text}‹/›`]);
	});

	test("controls are removed, tabs are spaces", () => {
		const [line = ""] = highlightCode("\x1b[2Ja\tb\x07", undefined, tokenTheme);
		expect(Bun.stripANSI(line)).toBe("a   b");
	});
});

test.each([
	["src/a.ts", "typescript"],
	["/x/y.Z/b.PY", "python"],
	["C:\\work\\a.rs", "rust"],
	["Dockerfile", "dockerfile"],
	["Dockerfile.dev", "dockerfile"],
	["Makefile", "makefile"],
	[".bashrc", "bash"],
	["a.tsx", "typescript"],
	["a.unknown", undefined],
	["README", undefined],
	["", undefined],
])("the language of %s is %p", (path, language) => {
	expect(getLanguageFromPath(path)).toBe(language!);
});

test("a block whose lines take very long to highlight becomes plain after a time limit", async () => {
	await loadLanguage("yaml");
	const block = new LineHighlighter("yaml");
	const hostile = "{".repeat(1000);
	expect(block.push("a: 1").length).toBeGreaterThan(1);
	for (let line = 0; line < 2000; line++) block.push(hostile);
	expect(block.push("a: 1")).toEqual([{ text: "a: 1", color: undefined }]);
});

/** How Markdown looks, and what it must never do to a terminal. */
import { beforeAll, describe, expect, test } from "bun:test";

import * as fc from "fast-check";

import { anyCharacter } from "../../../../test/support/any-character.ts";
import { samples } from "../../../../test/support/depth.ts";
import { meaningIn, readable, runsOf, tokenTheme } from "../components/testing/token-theme.ts";
import { loadLanguage } from "../highlight/index.ts";
import { visibleWidth } from "../text.ts";
import { markdownTheme } from "../theme/component-themes.ts";
import { builtinTheme } from "../theme/index.ts";
import { Markdown } from "./markdown.ts";
import { answer, pieces } from "./testing/documents.ts";
import type { MarkdownTheme } from "./theme.ts";

const theme = markdownTheme(tokenTheme);

beforeAll(async () => {
	await loadLanguage("ts");
});

function rows(text: string, width = 60): string[] {
	return new Markdown(text, 0, 0, theme).render(width).map((row) => Bun.stripANSI(row));
}

function picture(text: string, width: number): string {
	return `\n${new Markdown(text, 1, 0, theme).render(width).map(readable).join("\n")}\n`;
}

test("lines of a paragraph stay lines, except inside the text of an image", () => {
	const drawn = (text: string): string[] =>
		new Markdown(text, 0, 0, theme).render(40).map((row) => Bun.stripANSI(row).trimEnd());
	expect(drawn("a: 1\nb: 2\n\n- one\n  two")).toEqual(["a: 1", "b: 2", "", "• one", "  two"]);
	expect(drawn("see [the\npage](https://x.example/a)")).toEqual(["see the", "page (https://x.example/a)"]);
	expect(drawn("![a\nb](https://x.example/a)")[0]).toStartWith("[image: a b]");
});

describe("an answer with everything in it", () => {
	test.each([28, 60, 100])("looks as it did at %d cells", (width) => {
		expect(picture(answer, width)).toMatchSnapshot();
	});

	test.each(["dark", "light"] as const)("is the same picture in the colors of %s", (name) => {
		const own = new Markdown(answer, 1, 0, markdownTheme(builtinTheme(name, "truecolor"))).render(60);
		const known = new Markdown(answer, 1, 0, theme).render(60);
		expect(own.map((row) => runsOf(row))).toEqual(known.map((row) => runsOf(row, meaningIn(name))));
	});

	test("property: every row fits, whatever the text and the width", () => {
		const text = fc.array(
			fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: anyCharacter, maxLength: 3 })),
		);
		fc.assert(
			fc.property(
				text,
				fc.integer({ min: 1, max: 90 }),
				fc.integer({ min: 0, max: 3 }),
				(parts, width, padding) => {
					const view = new Markdown(parts.join(""), padding, 1, theme, {
						bgColor: (row) => `\x1b[44m${row}\x1b[49m`,
					});
					for (const row of view.render(width)) expect(visibleWidth(row)).toBeLessThanOrEqual(width);
				},
			),
			{ numRuns: samples(300) },
		);
	});
});

describe("blocks", () => {
	test("headings, emphasis and code have their own look", () => {
		expect(picture("# One\n\n### Three\n\n*a* **b** `c`", 40)).toMatchInlineSnapshot(`
		  "
		   ‹mdHeading›‹b›‹u›One‹/›‹/b›‹/u›
		   
		   ‹b›Three‹/b›
		   
		   ‹i›a‹/i› ‹b›b‹/b› ‹mdCode›‹mdCodeBg›c‹/›‹/bg›
		  "
		`);
	});

	test("lists are as tight as they are written, and keep their numbers", () => {
		expect(rows("- a\n- b\n\n- c\n\n9. nine\n10. ten\n    - deep")).toEqual([
			"• a",
			"• b",
			"",
			"• c",
			"",
			"9. nine",
			"10. ten",
			"    • deep",
		]);
	});

	test("an item without text keeps its marker", () => {
		expect(rows("- a\n-\n- c")).toEqual(["• a", "• ", "• c"]);
	});

	test("the bar of a quote is drawn beside all of its rows", () => {
		expect(rows("> a\n>\n> > b\n\nc")).toEqual(["│ a", "│", "│ │ b", "", "c"]);
	});

	test("a wrapped line stays inside of its item and its quote", () => {
		expect(rows("> - some words that wrap", 14)).toEqual(["│ • some words", "│   that wrap"]);
	});

	test("an empty text takes no rows", () => {
		expect(new Markdown("  \n\n", 1, 1, theme).render(40)).toEqual([]);
		expect(new Markdown("[a]: /b", 1, 1, theme).render(40)).toEqual([]);
	});

	test("padding and background surround it, also while it streams", () => {
		const view = new Markdown("", 2, 1, theme, { bgColor: (row) => `<${row}>` });
		view.append("a\n\nb");
		expect(view.render(6)).toEqual(["<      >", "<  a   >", "<      >", "<  b   >", "<      >"]);
		expect(view.settledRows(6)).toBe(2);
	});

	test("the default style applies where no other does", () => {
		const style = { color: (text: string) => `(${text})`, italic: true };
		const [row] = new Markdown("a **b**", 0, 0, theme, style).render(40);
		expect(readable(row!)).toMatchInlineSnapshot(`"(‹i›a ‹/i›)(‹b›‹i›b‹/b›‹/i›)"`);
	});

	test("a definition also applies to links above it", () => {
		expect(rows("[a][b]\n\n[b]: https://c.d")).toEqual(["a (https://c.d)"]);
	});

	test("the parts of a very long paragraph flow into each other", () => {
		const words = Array.from({ length: 3000 }, (_, at) => (at % 9 === 0 ? `*w${at}*` : `w${at}`));
		const flat = rows(words.join(" "), 50).join(" ");
		expect(flat).toBe(words.join(" ").replaceAll("*", ""));
	});
});

describe("tables", () => {
	const table =
		"| name | size | what it is |\n|:--|--:|:-:|\n| a | 1 | short |\n| bb | 22 | `code` and **more** |";

	test("have columns of the required width, aligned as declared", () => {
		expect(rows(table)).toEqual([
			"name │ size │  what it is",
			"─────┼──────┼──────────────",
			"a    │    1 │     short",
			"bb   │   22 │ code and more",
		]);
	});

	test("wrap their cells if there is too little space", () => {
		expect(rows(table, 25)).toEqual([
			"name │ size │ what it is",
			"─────┼──────┼────────────",
			"a    │    1 │    short",
			"─────┼──────┼────────────",
			"bb   │   22 │  code and",
			"     │      │    more",
		]);
	});

	test("become a list of records if the columns would be unreadable", () => {
		expect(rows(table, 14)).toEqual([
			"name: a",
			"size: 1",
			"what it is:",
			"short",
			"───",
			"name: bb",
			"size: 22",
			"what it is:",
			"code and more",
		]);
	});

	test("break their cells at explicit breaks", () => {
		expect(rows("| a |\n|---|\n| b<br>c |")).toEqual(["a", "─", "b", "c"]);
	});
});

describe("links", () => {
	const linked = (text: string): string =>
		new Markdown(text, 0, 0, theme, {}, { hyperlinks: true }).render(80).join("\n");

	test("show where they go, unless the text does", () => {
		expect(rows("[a](https://b.c) <https://d.e> [f](#g) <h@i.j>")).toEqual([
			"a (https://b.c) https://d.e f h@i.j",
		]);
	});

	test("are terminal links if supported", () => {
		expect(linked("[a](https://b.c/ä)")).toContain("\x1b]8;;https://b.c/%C3%A4\x1b\\");
		expect(Bun.stripANSI(linked("[a](https://b.c)"))).toBe("a");
	});

	test.each(["javascript", "vscode", "data", "ssh"])("never run a scheme like %s", (scheme) => {
		const href = `${scheme}:alert(1)`;
		expect(linked(`[a](${href})`)).not.toContain("\x1b]8");
		expect(Bun.stripANSI(linked(`[a](${href})`))).toBe(`a (${href})`);
	});

	test("that look like another address show their real target", () => {
		expect(Bun.stripANSI(linked("[https://bank.example](https://evil.example)"))).toBe(
			"https://bank.example (https://evil.example)",
		);
	});

	test("cannot leave their sequence", () => {
		const text = linked("[a](<https://b.c/\x1b\\\x1b]0;title\x07>) [d](https://e.f/&#27;&#7;x)");
		expect(text.replaceAll(/\x1b\]8;;[!-~]*\x1b\\|\x1b\[[0-9;]*m/g, "")).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
	});

	test("images are shown as their text", () => {
		expect(rows("![a *b*](c.png) ![](d.png)")).toEqual(["[image: a b] (c.png) [image: d.png]"]);
	});
});

describe("untrusted text", () => {
	const evil = "\x1b[2J\x1b]52;c;ZXZpbA==\x07\x1b]0;t\x1b\\\x9b31m\u202eabc\u200f\x00\x08\x7f";

	test.each([
		["a paragraph", evil],
		["code", `\`${evil}\``],
		["a block of code", `\`\`\`${evil}\n${evil}\n\`\`\``],
		["a table", `| ${evil} |\n|---|\n| ${evil} |`],
		["a link", `[${evil}](https://a.b/${evil})`],
		["HTML", `<div>${evil}</div>`],
		["references", "&#27;[2J&#x9b;31m&#8238;&#0;&rlm;"],
	])("does nothing to the terminal: %s", (_, text) => {
		const drawn = new Markdown(text, 0, 0, theme, {}, { hyperlinks: true }).render(60).join("");
		const bare = drawn.replaceAll(/\x1b\[[0-9;]*m|\x1b\]8;;[!-~]*\x1b\\/g, "");
		expect(bare).not.toMatch(/[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
	});

	test("split anywhere, it does nothing either", () => {
		const view = new Markdown("", 0, 0, theme);
		for (const letter of `a ${evil} b`) {
			view.append(letter);
			expect(
				view
					.render(60)
					.join("")
					.replaceAll(/\x1b\[[0-9;]*m/g, ""),
			).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
		}
	});
});

describe("hostile text is bounded in time and space", () => {
	const deep = 10_000;
	test.each([
		["quotes", ">".repeat(deep)],
		["quotes with text", `${"> ".repeat(deep)}a`],
		["items", `${"- ".repeat(deep)}a`],
		["numbers", `${"1. ".repeat(deep)}a`],
		["items line by line", Array.from({ length: 500 }, (_, at) => `${"  ".repeat(at)}- a`).join("\n")],
		["brackets", `${"[".repeat(deep)}a${"]".repeat(deep)}`],
		["links in links", "[a](".repeat(deep)],
		["pictures in pictures", "![".repeat(deep)],
		["emphasis", "*a **b ".repeat(deep)],
		["closed emphasis", `${"*a ".repeat(deep)}${" b*".repeat(deep)}`],
		["underscores", "a_".repeat(deep)],
		["backticks of all lengths", Array.from({ length: 300 }, (_, at) => "`".repeat(at + 1)).join(" ")],
		["comments", "<!-- ".repeat(deep)],
		["tags", "<a b='".repeat(deep)],
		["references", "&amp".repeat(deep)],
		["a table of a thousand columns", `${"|a".repeat(1000)}|\n${"|-".repeat(1000)}|\n${"|b".repeat(1000)}|`],
		["definitions", "[a]: b\n".repeat(deep)],
		["blank code", `    a\n${"\n".repeat(deep)}    b`],
		["one line without spaces", "x".repeat(200_000)],
	])("%s", (_, text) => {
		for (const width of [10, 80]) {
			const whole = new Markdown(text, 0, 0, theme).render(width);
			expect(whole.every((row) => visibleWidth(row) <= width)).toBe(true);
			expect(whole.length).toBeLessThan(text.length / width + text.split("\n").length + 9000);
		}
	});
});

describe("a theme made for pi", () => {
	const { highlightLines: _, ...own } = theme;
	const foreign: MarkdownTheme = {
		...own,
		codeBlockIndent: "",
		highlightCode: (code, lang) => code.split("\n").map((line) => `<${lang}:${line}>`),
	};

	test("colors a block of code with its own function", () => {
		expect(new Markdown("```x\na\nb\n```", 0, 0, foreign).render(40).slice(1, 3)).toEqual(["<x:a>", "<x:b>"]);
	});

	test("colors it also when it streams line by line", () => {
		const view = new Markdown("", 0, 0, foreign);
		for (const letter of "```x\na\nb\n```\n\nend") {
			view.append(letter);
			view.render(40);
		}
		expect(view.render(40).slice(1, 3)).toEqual(["<x:a>", "<x:b>"]);
	});

	test("shows code plainly when it has no colors for it", () => {
		const { highlightCode: __, ...plain } = foreign;
		const shown = new Markdown("```x\na\n```", 0, 0, plain).render(40);
		expect(shown.map(readable)[1]).toBe("‹mdCodeBlock›a‹/›");
	});
});

/** Markdown is parsed as CommonMark and GFM specify. */
import { describe, expect, test } from "bun:test";

import * as fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import spec from "./fixtures/commonmark.json" with { type: "json" };
import { htmlOf } from "./testing/html-of.ts";

/** Examples that are parsed differently on purpose. */
const deviations = new Map([
	[218, "a quote that holds nothing to see is not shown"],
	[239, "a quote that holds nothing to see is not shown"],
	[240, "a quote that holds nothing to see is not shown"],
	[317, "lists are as tight as they are written, item by item; a definition is no part of that"],
	[608, "GFM: a bare address is a link"],
	[611, "GFM: a bare address is a link"],
]);

const examples = spec.examples.map(([section = "", markdown = "", html = ""], at) => ({
	number: at + 1,
	section,
	markdown,
	html,
}));

describe("the 652 examples of the specification", () => {
	const kept = examples.filter(({ number }) => !deviations.has(number));

	test("are all there, but for six", () => {
		expect(kept).toHaveLength(646);
	});

	test.each(kept)("$number, $section", ({ markdown, html }) => {
		expect(htmlOf(markdown)).toBe(html);
	});

	test.each(examples.filter(({ number }) => deviations.has(number)))(
		"$number is still a deviation",
		({ markdown, html }) => {
			expect(htmlOf(markdown)).not.toBe(html);
		},
	);
});

/** White space between blocks, empty quotes and image descriptions can be written in several ways. */
function normal(html: string): string {
	let text = html.replaceAll(/ alt="[^"]*"/g, "").replaceAll(/\s+/g, " ");
	text = text.replaceAll(/ ?(<\/?(?:li|ul|ol|p|blockquote|pre|h\d|hr \/)>) ?/g, "$1");
	for (let before = ""; before !== text;) {
		before = text;
		text = text.replaceAll("<blockquote></blockquote>", "");
	}
	return text;
}

const words =
	"**|``|](/u)|<a>|&amp;|<div>|foo|[r]|\n\n|- |1. |2) |> |# |    |\t|\n- |\n> |* |[r]: /x\n|```\n|~~~\n|---\n|===\n";

test("random texts are parsed as Bun's CommonMark parser does", () => {
	const piece = fc.constantFrom(..."ab *_`[](<>!&\\\n#~", ...words.split("|"));
	const bun = { tables: false, strikethrough: false, tasklists: false, autolinks: false };
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
			const markdown = `${pieces.join("")}\n`;
			// Where Bun's reader leaves the specification (the reference implementation is with us): it calls some lists
			// tight that are not. So the texts are always the same ones.
			fc.pre(!/[-*.)][ \t]*(?:\n|$)/.test(markdown) && !/~~/.test(markdown));
			expect(normal(htmlOf(markdown))).toBe(normal(Bun.markdown.html(markdown, bun)));
		}),
		{ numRuns: samples(1500), seed: 652 },
	);
});

describe("GFM", () => {
	test("a table is its header, a line of dashes and its rows", () => {
		expect(htmlOf("| a | b |\n|---|:-:|\n| 1 | *2* |\n| 3 |\n\nend\n")).toBe(
			"<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td><em>2</em></td></tr>" +
				"<tr><td>3</td><td></td></tr></table>\n<p>end</p>\n",
		);
	});

	test.each([
		["needs as many columns in its line of dashes as in its header", "| a | b |\n|---|\n", false],
		["needs no bars at its edges", "a | b\n--|--\n1 | 2\n", true],
		["may be one column", "| a |\n|---|\n", true],
		["is no heading", "a\n---\n", false],
		["may follow a line of text", "text\n| a |\n|---|\n", true],
	])("a table %s", (_, markdown, isTable) => {
		expect(htmlOf(markdown).includes("<table>")).toBe(isTable);
	});

	test("an escaped bar belongs to its cell, also in code", () => {
		expect(htmlOf("| a |\n|---|\n| b `\\|` \\| c |\n")).toContain("<td>b <code>|</code> | c</td>");
	});

	test("a table ends where another block starts", () => {
		expect(htmlOf("| a |\n|---|\n| 1 |\n> quote\n")).toBe(
			"<table><tr><th>a</th></tr><tr><td>1</td></tr></table>\n<blockquote>\n<p>quote</p>\n</blockquote>\n",
		);
	});

	test("two tildes strike through, one does not", () => {
		expect(htmlOf("~~gone~~ and ~5 to ~6\n")).toBe("<p><del>gone</del> and ~5 to ~6</p>\n");
	});

	test.each([
		["see https://a.b/c.", '<p>see <a href="https://a.b/c">https://a.b/c</a>.</p>\n'],
		["(https://a.b/c(d))", '<p>(<a href="https://a.b/c(d)">https://a.b/c(d)</a>)</p>\n'],
		["www.a.b/x_y_z", '<p><a href="http://www.a.b/x_y_z">www.a.b/x_y_z</a></p>\n'],
		["[https://a.b](https://c.d)", '<p><a href="https://c.d">https://a.b</a></p>\n'],
		["xhttps://a.b", "<p>xhttps://a.b</p>\n"],
	])("bare addresses: %s", (markdown, html) => {
		expect(htmlOf(markdown)).toBe(html);
	});

	test("footnotes stay as they are written", () => {
		expect(htmlOf("A note[^1].\n\n[^1]: word\n")).toBe("<p>A note[^1].</p>\n<p>[^1]: word</p>\n");
	});
});

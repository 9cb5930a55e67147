/** Streaming Markdown: finished parts stay, and unfinished parts do not flicker. */
// isolated: a language that another file has loaded would have its colors at once.
import { beforeAll, describe, expect, test } from "bun:test";

import * as fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { loadLanguage } from "../highlight/index.ts";
import { visibleWidth } from "../text.ts";
import { markdownTheme } from "../theme/component-themes.ts";
import { builtinTheme } from "../theme/index.ts";
import spec from "./fixtures/commonmark.json" with { type: "json" };
import { markdownLimits } from "./limits.ts";
import { Markdown } from "./markdown.ts";
import { answer, pieces } from "./testing/documents.ts";

const theme = markdownTheme(builtinTheme("dark", "truecolor"));

beforeAll(async () => {
	for (const language of ["ts", "ruby"]) await loadLanguage(language);
});

/** Appends the deltas, and checks after each that no row that was settled has changed and that all rows fit. */
function stream(deltas: Iterable<string>, width: number, paddingY = 0): Markdown {
	const view = new Markdown("", 1, paddingY, theme);
	let settled: string[] = [];
	for (const delta of deltas) {
		view.append(delta);
		const rows = view.render(width);
		expect(rows.slice(0, settled.length)).toEqual(settled);
		settled = rows.slice(0, view.settledRows(width));
		for (const row of rows.slice(-12)) expect(visibleWidth(row)).toBeLessThanOrEqual(width);
	}
	view.end();
	expect(view.render(width).slice(0, settled.length)).toEqual(settled);
	return view;
}

function shown(view: Markdown, width = 60): string {
	return view
		.render(width)
		.map((row) => Bun.stripANSI(row).trimEnd())
		.join("\n");
}

describe("every prefix of a document", () => {
	// Definitions are left out: a late one changes nothing that is settled, so the result differs.
	const examples = spec.examples.map(([, markdown = ""]) => markdown);
	const mixed = examples.filter((markdown) => !/^ {0,3}\[.*\]:/m.test(markdown)).join("\n\n");
	const documents: [name: string, text: string, step: number, width: number][] = [
		["an answer, letter by letter", answer, 1, 60],
		["an answer on a narrow screen", answer, 1, 20],
		["an answer on a wide screen", answer, 3, 120],
		["the examples of CommonMark", mixed, 7, 50],
		["the examples of CommonMark, line by line or so", mixed, 23, 80],
	];

	test.each(documents)("is drawn, and finished parts never change: %s", (_, text, step, width) => {
		const deltas = Array.from({ length: Math.ceil(text.length / step) }, (__, at) =>
			text.slice(at * step, (at + 1) * step),
		);
		const streamed = stream(deltas, width, 1).render(width);
		expect(streamed).toEqual(new Markdown(text, 1, 1, theme).render(width));
	});

	test("of random texts, in random chunks, ends like the whole text", () => {
		const text = fc.array(fc.constantFrom(...pieces), { maxLength: 25 });
		fc.assert(
			fc.property(
				text,
				fc.integer({ min: 1, max: 9 }),
				fc.integer({ min: 1, max: 50 }),
				(parts, step, width) => {
					const whole = parts.join("");
					const deltas = whole.match(new RegExp(`[^]{1,${step}}`, "g")) ?? [];
					const streamed = stream(deltas, width);
					const isLate = /\[r\]/.test(whole);
					if (!isLate) expect(streamed.render(width)).toEqual(new Markdown(whole, 1, 0, theme).render(width));
				},
			),
			{ numRuns: samples(400) },
		);
	});
});

describe("the finished part", () => {
	test("settles item by item, line by line, and not only at the end", () => {
		const view = new Markdown("", 0, 0, theme);
		view.append("- one\n- two\n- thr");
		expect(view.settledRows(40)).toBe(1);
		view.append("ee\n\n```ts\nconst a = 1;\nconst b");
		expect(shown(view, 40).split("\n").slice(0, view.settledRows(40))).toEqual([
			"• one",
			"• two",
			"• three",
			"",
			"  ts",
			"  const a = 1;",
		]);
		view.end();
		expect(view.settledRows(40)).toBe(view.render(40).length);
	});

	test("is the same at another width as if it had always been that wide", () => {
		const view = stream(answer.match(/[^]{1,40}/g) ?? [], 60);
		expect(view.render(33)).toEqual(new Markdown(answer, 1, 0, theme).render(33));
		expect(view.render(60)).toEqual(new Markdown(answer, 1, 0, theme).render(60));
	});

	test("keeps the widths of a long table, so that its rows settle while it grows", () => {
		const view = new Markdown("", 0, 0, theme);
		view.append("| a | b |\n|---|---|\n");
		for (let row = 0; row < 200; row++) view.append(`| ${row} | ${"x".repeat(row % 7)} |\n`);
		expect(view.settledRows(40)).toBeGreaterThan(190);
		const before = view.render(40).slice(0, view.settledRows(40));
		view.append(`| wider than all before | and this one too |\n`);
		expect(view.render(40).slice(0, before.length)).toEqual(before);
		expect(shown(view, 40)).toContain("wider");
	});

	test("is not parsed again by setText when the text only grows", () => {
		const view = new Markdown("- a\n- b", 0, 0, theme);
		const [first] = view.render(40);
		view.setText("- a\n- b c\n\nmore");
		expect(view.render(40)[0]).toBe(first!);
		expect(shown(view)).toBe("• a\n• b c\n\nmore");
		view.setText("other");
		expect(shown(view)).toBe("other");
	});
});

describe("the unfinished part", () => {
	const signs: [string, string, RegExp][] = [
		["emphasis", "Some **bold words** and *more* of __them__ here", /[*_]/],
		["code in a line", "Run `bun test` and ``a ` b`` now", /`(?! b)/],
		["strikethrough", "This is ~~gone now~~ and over", /~/],
		["a link", "See [the long notes](https://example.com/a?b=c) for more", /\]\(|\[/],
		["a picture", "Look ![at this](https://example.com/p.png) closely", /!\[|\]\(/],
		["a table", "| name | value |\n|------|------:|\n| a | 1 |\n", /\||-/],
		["a fence", "Text\n\n```ts\nconst a = 1;\n```\n\nend", /(?<!`)`{1,2}(?!`)/],
		["a list", "- one\n- two\n- three", /-/],
		["a heading", "## Title of it\n\ntext", /#/],
		["a rule", "above\n\n---\n\nbelow", /-/],
	];

	test.each(signs)("never shows its delimiters: %s", (_, text, sign) => {
		const view = new Markdown("", 0, 0, theme);
		for (const letter of text) {
			view.append(letter);
			expect(shown(view).replaceAll("─", " ")).not.toMatch(sign);
		}
	});

	test("has its style from its first letter on", () => {
		const view = new Markdown("", 0, 0, theme);
		view.append("a **b");
		const bold = view.render(40)[0];
		view.append("**");
		expect(view.render(40)[0]).toBe(bold!);
		view.append(" c `d");
		expect(Bun.stripANSI(view.render(40)[0] ?? "")).toBe("a b c d");
		expect(view.render(40)[0]).toContain(builtinTheme("dark", "truecolor").getBgAnsi("mdCodeBg").slice(2));
	});

	test("does not make a heading of the text above the first dash of a list", () => {
		const view = new Markdown("", 0, 0, theme);
		view.append("Steps");
		const [plain] = view.render(40);
		for (const letter of "\n- one") {
			view.append(letter);
			expect(view.render(40)[0]).toBe(plain!);
		}
		expect(shown(view)).toBe("Steps\n• one");
	});

	test("is literal text when the text ends", () => {
		const view = new Markdown("", 0, 0, theme);
		view.append("a **b and `c and [d](e\n\n| x");
		view.end();
		expect(shown(view)).toBe("a **b and `c and [d](e\n\n| x");
		const line = new Markdown("", 0, 0, theme);
		line.append("Title\n--");
		expect(shown(line)).toBe("Title");
		line.end();
		expect(shown(line)).toBe("Title");
		expect(line.render(40)[0]).not.toBe(new Markdown("Title", 0, 0, theme).render(40)[0]!);
	});

	test("is not mistaken for emphasis in a multiplication or a name", () => {
		const view = new Markdown("", 0, 0, theme);
		view.append("5*3 = 15 and snake_case_na");
		expect(shown(view)).toBe("5*3 = 15 and snake_case_na");
		expect(view.render(60)[0]).not.toContain("\x1b[3m");
	});
});

test("late colors do not change the text of settled rows", async () => {
	const view = new Markdown("", 0, 0, theme);
	view.append("```elixir\ndefmodule A do\nend\n```\n\ntext\n\nmore");
	const before = shown(view);
	const settled = view.settledRows(60);
	await loadLanguage("elixir");
	const keyword = builtinTheme("dark", "truecolor").getFgAnsi("syntaxKeyword");
	expect(view.render(60).join("\n")).toContain(`${keyword}defmodule`);
	expect(shown(view)).toBe(before);
	expect(view.settledRows(60)).toBe(settled);
});

test("line endings of any kind, split anywhere, are one line end", () => {
	const view = new Markdown("", 0, 0, theme);
	for (const letter of "a\r\n\r\nb\r\rc") view.append(letter);
	view.end();
	expect(shown(view)).toBe("a\n\nb\n\nc");
});

describe("a burst", () => {
	const lines = Array.from({ length: 5000 }, (_, at) => `\tlet name${at} = ${at};`);
	const text = `\`\`\`ts\n${lines.join("\n")}\n\`\`\`\n\nThe end.`;

	test("is read in parts, one for each frame, and ends as the whole", () => {
		const view = new Markdown("", 1, 0, theme);
		view.append(text);
		view.end();
		const [whole] = [new Markdown(text, 1, 0, theme).render(80)];
		let [frames, before] = [0, 0];
		let settled: string[] = [];
		do {
			const count = view.rowCount(80);
			// The shortest line has this many characters, and makes a row.
			expect(count - before).toBeLessThanOrEqual(markdownLimits.frameChars / 14);
			expect(view.rows(80, 0, settled.length)).toEqual(settled);
			settled = view.rows(80, 0, view.settledRows(80));
			before = count;
			frames++;
		} while (view.isBehind());
		expect(frames).toBeLessThan((3 * text.length) / markdownLimits.frameChars);
		expect(view.isFinal()).toBe(true);
		expect(view.rows(80, 0, view.rowCount(80))).toEqual(whole);
	});

	/** The lines that are painted for each frame until nothing is left. */
	function linesPerFrame(view: Markdown, width: number, painted: () => number): number[] {
		const frames: number[] = [];
		do {
			const before = painted();
			view.rowCount(width);
			frames.push(painted() - before);
		} while (view.isBehind());
		return frames;
	}

	test("costs a frame no more when it is complete, nor when the width changes", () => {
		let painted = 0;
		const highlightLines = (language: string) => {
			const painter = theme.highlightLines?.(language);
			const push = (line: string): string => (painted++, painter?.push(line) ?? line);
			return { push, peek: push, isWaiting: false };
		};
		const count = (): number => painted;
		const view = new Markdown(text, 1, 0, { ...theme, highlightLines });
		for (const width of [80, 40]) {
			const frames = linesPerFrame(view, width, count);
			expect(frames.reduce((sum, each) => sum + each)).toBe(lines.length);
			expect(Math.max(...frames)).toBeLessThanOrEqual(markdownLimits.frameChars / 14);
			expect(view.rows(width, 0, view.rowCount(width))).toEqual(
				new Markdown(text, 1, 0, theme).render(width),
			);
		}
	});

	test("gets colors that come late where it has none, and nothing is laid out again", () => {
		const code = text.replace("ts\n", "haskell\n");
		let painted = 0;
		const highlightLines = (language: string) => {
			const painter = theme.highlightLines?.(language);
			return {
				push: (line: string) => (painted++, painter?.push(line) ?? line),
				peek: (line: string) => painter?.peek(line) ?? line,
				get isWaiting() {
					return painter?.isWaiting ?? false;
				},
			};
		};
		const view = new Markdown("", 1, 0, { ...theme, highlightLines });
		view.append(code);
		for (let frame = 0; frame < 3; frame++) view.rowCount(80);
		return loadLanguage("haskell").then(() => {
			const plain = painted;
			const count = view.rowCount(80);
			const frames = linesPerFrame(view, 80, () => painted);
			expect(view.rowCount(80)).toBeGreaterThan(count);
			expect(Math.max(...frames)).toBeLessThanOrEqual(markdownLimits.frameChars / 14);
			// Only those that had no colors are painted twice.
			expect(painted).toBe(lines.length + plain);
			expect(view.rows(80, 0, view.rowCount(80))).toEqual(new Markdown(code, 1, 0, theme).render(80));
		});
	});

	test("is read to its end before it is drawn, if it is complete: a definition there applies to all of it", () => {
		const links = `[a link][there]\n\n${"words ".repeat(20_000)}\n\n[there]: http://example.com`;
		const view = new Markdown(links, 0, 0, theme);
		linesPerFrame(view, 80, () => 0);
		expect(view.rows(80, 0, 1)).toEqual(new Markdown(links, 0, 0, theme).render(80).slice(0, 1));
		expect(shown(view, 80)).toContain("a link (http://example.com)");
	});

	test("is not final while some of it is left, and can be requested at once", () => {
		const view = new Markdown("", 1, 0, theme);
		view.append(text);
		view.setText(text);
		view.rowCount(80);
		expect([view.isBehind(), view.isFinal()]).toEqual([true, false]);
		expect(view.render(80).at(-1)?.trim()).toBe("The end.");
		expect([view.isBehind(), view.isFinal()]).toEqual([false, true]);
	});
});

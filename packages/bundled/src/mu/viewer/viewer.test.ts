/** The viewer of results, wide and narrow, with its keys. */
import { describe, expect, test } from "bun:test";

import { builtinTheme, setKeybindings, visibleWidth } from "@tau/tui";
import fc from "fast-check";

import { newKeys } from "@tau/interactive/keys";
import { frame } from "@tau/interactive/testing";
import { limits } from "../limits.ts";
import type { ViewedResult } from "../results.ts";
import { Viewer, type ViewerParts } from "./viewer.ts";

const many = Array.from({ length: 60 }, (_, at) => `line ${at + 1}`).join("\n");

function result(at: number, more: Partial<ViewedResult> = {}): ViewedResult {
	return {
		toolCallId: `${at}`,
		toolName: "lookup",
		input: { query: `word${at}` },
		content: [{ type: "text", text: many }],
		isError: false,
		timestamp: 0,
		details: undefined,
		...more,
	};
}

const results = [
	result(1, { duration: 2500 }),
	result(2, {
		isError: true,
		exitCode: 3,
		timestamp: new Date(2026, 10, 15, 9, 24, 3).getTime(),
		content: [{ type: "text", text: "broken" }],
	}),
	...Array.from({ length: 28 }, (_, at) => result(at + 3)),
];

function open(more: Partial<ViewerParts> = {}) {
	setKeybindings(newKeys());
	let isClosed = false;
	const viewer = new Viewer({
		results,
		describe: (name, args) => `${name} ${Object.values(args).join(" ")}`,
		theme: builtinTheme("dark", "none"),
		height: () => 12,
		redraw: () => {},
		close: () => (isClosed = true),
		startsAt: "list",
		...more,
	});
	return {
		viewer,
		press: (...keys: string[]) => keys.forEach((key) => viewer.handleInput(key)),
		shown: (width = 60) => frame(viewer, width),
		isClosed: () => isClosed,
	};
}

describe("the list", () => {
	test("shows how each ended, and how long the long ones took", () => {
		const { shown } = open();
		expect(shown().split("\n").slice(0, 3)).toEqual([
			expect.stringMatching(/^ Tool results +1\/30$/),
			expect.stringMatching(/^❯ ✓ lookup word1 +2\.5s$/),
			"  ✗ lookup word2",
		]);
	});

	test("is navigated with letters, arrows and pages, and closed with q and Escape", () => {
		const { press, shown, isClosed } = open();
		press("j", "\x1b[B");
		expect(shown()).toContain("❯ ✓ lookup word3");
		press("k");
		expect(shown()).toContain("❯ ✗ lookup word2");
		press("G");
		expect(shown()).toContain("❯ ✓ lookup word30");
		press("\x15");
		expect(shown()).toContain("❯ ✓ lookup word25");
		press("g");
		expect(shown()).toContain("❯ ✓ lookup word1");
		press("q");
		expect(isClosed()).toBe(true);
		const other = open();
		other.press("\x1b");
		expect(other.isClosed()).toBe(true);
	});

	test("is filtered by typing, where q is a letter", () => {
		const { press, shown, isClosed } = open();
		press("/", "w", "o", "r", "d", "2", "9");
		expect(shown()).toContain("❯ ✓ lookup word29");
		expect(shown()).toContain("1/1");
		press("q");
		expect(shown()).toContain("No results match.");
		press("\x7f", "\r", "\r");
		expect(shown()).toContain("query: word29");
		press("q", "\x1b");
		expect(shown()).toContain("1/30");
		expect(isClosed()).toBe(false);
	});
});

describe("a result", () => {
	test("shows its outcome, its arguments and its complete text", () => {
		const { press, shown } = open();
		press("j", "\r");
		expect(shown().split("\n").slice(0, 5)).toEqual([
			expect.stringMatching(/^ lookup word2 +2\/30$/),
			" ✗ failed · exit 3 · 2026-11-15 09:24:03",
			" query: word2",
			"",
			" broken",
		]);
	});

	test("is scrolled by rows, half pages and to its ends; n and p show the others, q returns to the list", () => {
		const { press, shown, isClosed } = open({ startsAt: "last" });
		expect(shown()).toContain("line 7\n");
		press("j");
		expect(shown()).toContain("line 8\n");
		press("\x04");
		expect(shown()).toContain("line 13\n");
		press("G");
		expect(shown()).toContain("line 60\n");
		press("g");
		expect(shown()).toContain("✓ done · 2.5s");
		press("n");
		expect(shown()).toContain("broken");
		press("p", "p");
		expect(shown()).toContain("lookup word1");
		press("n", "n", "q");
		expect(shown()).toContain("❯ ✓ lookup word3");
		expect(isClosed()).toBe(false);
	});

	test("with a diff shows the diff, and an empty one says so", () => {
		const diff = "--- a.ts\n+++ a.ts\n@@ -1,2 +1,2 @@\n same\n-old\n+new";
		const { shown, press } = open({
			results: [result(1, { details: { diff } }), result(2, { content: [] })],
			startsAt: "last",
		});
		expect(shown()).toContain("- old");
		press("n");
		expect(shown()).toContain("Nothing.");
	});
});

test("property: every frame fills the screen exactly, whatever the keys and the size", () => {
	const key = fc.constantFrom(
		"j",
		"k",
		"g",
		"G",
		"n",
		"p",
		"/",
		"a",
		"\r",
		"\x04",
		"\x15",
		"\x1b[A",
		"\x1b[6~",
	);
	const wipe = "\u001b[2Jwipe \t 你好 ";
	const evil = result(1, {
		input: { [wipe]: wipe, [`${wipe}2`]: [wipe] },
		content: [{ type: "text", text: wipe.repeat(200) }],
		timestamp: 1e300,
	});
	fc.assert(
		fc.property(
			fc.array(key, { maxLength: 12 }),
			fc.integer({ min: 8, max: 120 }),
			fc.integer({ min: 3, max: 40 }),
			(pressed, width, height) => {
				const { viewer, press } = open({ results: [evil, ...results], height: () => height });
				for (const one of pressed) {
					press(one);
					const rows = viewer.render(width);
					expect(rows).toHaveLength(height);
					expect(Math.max(...rows.map((row) => visibleWidth(row)))).toBeLessThanOrEqual(width);
					expect(rows.join("")).not.toContain("\u001b[2J");
				}
			},
		),
		{ numRuns: 60 },
	);
});

test("a line or argument as long as a file is cut, and the rest is counted", () => {
	const long = "y".repeat(limits.viewedChars + 5);
	const { press, shown } = open({
		results: [result(1, { input: { query: long, list: [long] }, content: [{ type: "text", text: long }] })],
		describe: (name) => name,
	});
	press("\r");
	shown();
	press("G");
	expect(shown()).toContain("… 5 more characters");
});

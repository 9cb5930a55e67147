/** The layout of text, boxes, stacks and lines. */
import { describe, expect, test } from "bun:test";

import type { Component } from "../component.ts";
import { visibleWidth } from "../text.ts";
import { Box, DynamicBorder, HStack, Panel, Spacer, Text, TruncatedText, VStack } from "./index.ts";
import { readable, tokenTheme as theme } from "./testing/token-theme.ts";

function shown(component: Component, width: number): string[] {
	return component.render(width).map(readable);
}

function rows(...lines: string[]): Component {
	return { render: () => lines, invalidate: () => {} };
}

describe("text", () => {
	test("keeps a color that continues over the end of a line", () => {
		const text = new Text(theme.fg("accent", "one\ntwo"), 0, 0);
		expect(shown(text, 20)).toEqual(["‹accent›one‹/›", "‹accent›two‹/›"]);
	});

	test("that grows at its end is wrapped only where it is new, and looks like one that came at once", () => {
		let painted = 0;
		const text = new Text("", 1, 1, (row) => (painted++, row));
		let whole = "";
		for (let line = 0; line < 200; line++) {
			for (const part of [`line ${line} `, "with words that take two rows\n"]) {
				whole += part;
				painted = 0;
				text.setText(whole);
				expect(text.render(30)).toEqual(new Text(whole, 1, 1, String).render(30));
				// The rows of the last line, the one after it, and edges; not those of 200 lines.
				expect(painted).toBeLessThan(10);
			}
		}
		text.setText("another");
		expect(text.render(30)).toEqual(new Text("another", 1, 1, String).render(30));
	});

	test("that is empty takes no space", () => {
		expect(new Text(" \n ", 3, 3).render(20)).toEqual([]);
	});

	test("shows the latest text, also at a width that was drawn before", () => {
		const text = new Text("old", 0, 0);
		text.render(20);
		text.setText("new");
		expect(text.render(20)).toEqual(["new"]);
		text.setCustomBgFn((row) => theme.bg("selectedBg", row));
		expect(shown(text, 5)).toEqual(["‹selectedBg›new  ‹/bg›"]);
	});

	test("is drawn in the new colors after a theme change", () => {
		let color: "success" | "error" = "success";
		const text = new Text("x", 0, 0, (row) => theme.fg(color, row));
		expect(shown(text, 1)).toEqual(["‹success›x‹/›"]);
		color = "error";
		text.invalidate();
		expect(shown(text, 1)).toEqual(["‹error›x‹/›"]);
	});

	test.each([
		["a reset", "a\x1b[0mb"],
		["the end of another ground", `a${theme.bg("selectedBg", "b")}c`],
		["a reset together with a color", "a\x1b[0;1;31mb"],
	])("has no hole in its ground behind %s", (_, text) => {
		const box = new Box(0, 0, (row) => `\x1b[44m${row}\x1b[49m`);
		box.addChild(rows(text));
		const [row = ""] = box.render(6);
		for (const reset of row.matchAll(/\x1b\[(?:0|49)[0-9;]*m/g)) {
			const rest = row.slice(reset.index + reset[0].length);
			expect(rest === "" || rest.startsWith("\x1b[44m")).toBe(true);
		}
	});

	test("does not change a color with a zero in it", () => {
		const box = new Box(0, 0, (row) => `\x1b[44m${row}\x1b[49m`);
		box.addChild(rows("\x1b[38;5;0ma\x1b[48;2;0;0;49mb"));
		expect(box.render(2)).toEqual(["\x1b[44m\x1b[38;5;0ma\x1b[48;2;0;0;49mb\x1b[49m"]);
	});

	test("keeps a background that is set together with a reset", () => {
		const box = new Box(0, 0, (row) => `\x1b[44m${row}\x1b[49m`);
		box.addChild(rows("\x1b[0;41ma"));
		expect(box.render(1)).toEqual(["\x1b[44m\x1b[0;41ma\x1b[49m"]);
	});

	test("limited to one line ends with that line", () => {
		expect(new TruncatedText("first\r\nsecond").render(20)).toEqual(["first"]);
		expect(new TruncatedText("\tindented", 1, 1).render(20)).toEqual([
			"",
			expect.stringMatching(/^ +indented$/),
			"",
		]);
	});

	test("treats invalid padding as none", () => {
		expect(new Text("a", Number.NaN, -3).render(5)).toEqual(["a"]);
		expect(new Spacer(-1).render(5)).toEqual([]);
		expect(new TruncatedText("a", -1, Number.NaN).render(5)).toEqual(["a"]);
	});
});

describe("a box", () => {
	test("without children takes no space, and can be emptied", () => {
		const box = new Box(1, 1, (row) => theme.bg("selectedBg", row));
		expect(box.render(10)).toEqual([]);
		const child = rows("x");
		box.addChild(child);
		expect(box.render(10)).toHaveLength(3);
		box.removeChild(child);
		expect(box.render(10)).toEqual([]);
	});
});

describe("columns", () => {
	test("use all cells", () => {
		const seen: number[] = [];
		const column = { component: { render: (width: number) => (seen.push(width), []), invalidate: () => {} } };
		new HStack([column, column, column], { gap: 1 }).render(12);
		expect(seen).toEqual([3, 4, 3]);
	});

	test("do not color their neighbors", () => {
		const stack = new HStack([
			{ component: rows("\x1b[41mopen") },
			{ component: rows("\x1b]8;;http://a\x07link") },
			{ component: rows("plain") },
		]);
		const [row = ""] = stack.render(32);
		const beforePlain = row.slice(0, row.indexOf("plain"));
		expect(beforePlain.lastIndexOf("\x1b[49m")).toBeGreaterThan(beforePlain.lastIndexOf("\x1b[41m"));
		expect(beforePlain.lastIndexOf("\x1b]8;;\x1b\\")).toBeGreaterThan(beforePlain.lastIndexOf("http://a"));
	});

	test("that do not fit beside each other are stacked", () => {
		const columns = [
			{ component: new Text("left", 0, 0), cells: 30 },
			{ component: new Text("right", 0, 0), cells: 30 },
		];
		expect(new HStack(columns).render(61)).toEqual([`left${" ".repeat(27)}right`]);
		expect(new HStack(columns).render(60)).toEqual(["left", "right"]);
		expect(new HStack(columns, { narrow: 100 }).render(99)).toEqual(["left", "right"]);
	});

	test("of different heights are filled up", () => {
		const stack = new HStack([{ component: rows("a"), cells: 3 }, { component: rows("1", "2") }]);
		expect(stack.render(10)).toEqual(["a   1", "    2"]);
	});
});

test("stacked rows have gaps only between visible children", () => {
	expect(new VStack([rows("a"), rows(), rows("b")], 1).render(5)).toEqual(["a", "", "b"]);
});

test("a line is as wide as the screen", () => {
	expect(new DynamicBorder().render(7)).toEqual(["───────"]);
});

describe("a panel", () => {
	test("is as wide as the screen, with title and hints in its frame", () => {
		const panel = new Panel(rows("content"), theme, { title: "Title", hints: () => ["esc close"] });
		const drawn = panel.render(30);
		expect(drawn.map((row) => visibleWidth(row))).toEqual([30, 30, 30]);
		expect(drawn.map((row) => Bun.stripANSI(row))).toEqual([
			"╭─ Title ────────────────────╮",
			"│ content                    │",
			"╰─ esc close ────────────────╯",
		]);
		panel.setTitle("");
		expect(Bun.stripANSI(panel.render(30)[0] ?? "")).toBe(`╭${"─".repeat(28)}╮`);
	});

	test("passes keys and focus to its content", () => {
		const keys: string[] = [];
		const content = { ...rows("x"), focused: false, handleInput: (data: string) => void keys.push(data) };
		const panel = new Panel(content, theme);
		panel.focused = true;
		panel.handleInput("k");
		expect({ keys, isFocused: content.focused }).toEqual({ keys: ["k"], isFocused: true });
	});

	test("has no frame if that would leave no space", () => {
		const panel = new Panel(rows("content"), theme, { title: "A long title" });
		expect(panel.render(9).map((row) => Bun.stripANSI(row))).toEqual(["A long t…", "content"]);
	});
});

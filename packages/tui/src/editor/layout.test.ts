/** Soft wrap breaks where a reader expects it, and a long text is never laid out as a whole. */
import { expect, test } from "bun:test";

import { Layout } from "./layout.ts";
import { Markers } from "./markers.ts";
import { editorFixture, paste, press, seen, type } from "./testing/keyboard.ts";
import { wrapLine } from "./wrap.ts";

const broken = (line: string, width: number): string[] =>
	wrapLine(line, width, () => 12).map(({ start, end }) => line.slice(start, end));

test.each([
	["", 5, [""]],
	["hello", 5, ["hello"]],
	["hello world", 5, ["hello ", "world"]],
	["hello world", 8, ["hello ", "world"]],
	["hello ", 5, ["hello ", ""]],
	["hello  world", 5, ["hello ", " ", "world"]],
	["abcdefghij", 4, ["abcd", "efgh", "ij"]],
	["ab cdefghij", 4, ["ab ", "cdef", "ghij"]],
	["世界世界", 5, ["世界", "世界"]],
	["ab世界", 4, ["ab世", "界"]],
	["word 世界世", 8, ["word 世", "界世"]],
	["日本 語", 4, ["日本 ", "語"]],
	["é\u0301a", 1, ["é\u0301", "a"]],
	["世", 1, ["世"]],
	["see \udc00 now", 10, ["see ", "\udc00 ", "now"]],
])("%j in %i cells", (line, width, rows) => {
	expect(broken(line, width)).toEqual(rows);
});

test("typing in a text of a megabyte lays out only the changed line and the visible ones", () => {
	let laidOut = 0;
	const layout = new Layout((line, width) => {
		laidOut++;
		return wrapLine(line, width, () => 1);
	});
	const lines = Array.from({ length: 20_000 }, (_, index) => `${index} ${"words ".repeat(9)}`);
	layout.setWidth(40);
	const height = 10;
	layout.view(lines, { line: 10_000, col: 0 }, height);
	expect(laidOut).toBeLessThanOrEqual(3 * height);
	laidOut = 0;
	for (let key = 1; key <= 50; key++) {
		lines[10_000] = `${lines[10_000]}x`;
		layout.view(lines, { line: 10_000, col: key }, height);
	}
	expect(laidOut).toBe(50);
	laidOut = 0;
	for (let row = 0; row < 50; row++) layout.step(lines, { line: 10_000, row: 0 }, row % 2 === 0 ? 1 : -1);
	expect(laidOut).toBeLessThanOrEqual(2);
});

test("the view scrolls no further than needed, and leaves no empty rows", () => {
	const { editor } = editorFixture({ maxHeight: 3 });
	editor.setText("1\n2\n3\n4\n5\n6");
	const rows = (): string => seen(editor, 20).split("\n").slice(1, -1).join(" ");
	expect(rows()).toBe("4 5 6█");
	press(editor, "up", "up");
	expect(rows()).toBe("4█ 5 6");
	press(editor, "up");
	expect(rows()).toBe("3█ 4 5");
	press(editor, "down", "down");
	expect(rows()).toBe("3 4 5█");
	press(editor, "ctrl+end");
	expect(rows()).toBe("4 5 6█");
	press(editor, "backspace", "backspace");
	expect(rows()).toBe("3 4 5█");
	press(editor, "pageUp");
	expect(rows()).toBe("2█ 3 4");
	editor.setText("1");
	expect(rows()).toBe("1█");
});

test("a line that is taller than the editor scrolls by rows", () => {
	const { editor } = editorFixture({ maxHeight: 3 });
	editor.setText("aaaa bbbb cccc dddd eeee");
	expect(seen(editor, 6)).toBe("──────\ncccc\ndddd\neeee█\n──────");
	press(editor, "home");
	expect(seen(editor, 6).split("\n").slice(1, -1)).toEqual(["▏aaaa", "bbbb", "cccc"]);
});

test("the caret is drawn at the end of a full row, and on the next one after a space", () => {
	const { editor } = editorFixture();
	type(editor, "hello");
	expect(seen(editor, 6)).toBe("──────\nhello█\n──────");
	type(editor, " ");
	expect(seen(editor, 6)).toBe("──────\nhello\n█\n──────");
	press(editor, "left");
	expect(seen(editor, 6)).toBe("──────\nhello█\n\n──────");
});

test("a marker that is wider than the screen is cut, and stays one character", () => {
	const { editor } = editorFixture();
	paste(editor, "x\n".repeat(20));
	expect(seen(editor, 9)).toBe("─────────\n[paste …█\n─────────");
	press(editor, "left");
	expect(seen(editor, 9)).toBe("─────────\n▏[paste …\n─────────");
});

test("markers are reused only when no text contains them", () => {
	const markers = new Markers();
	const first = markers.add({ label: "a", expansion: "A" });
	const second = markers.add({ label: "b", expansion: "B" });
	markers.keepOnly([`x${second}`]);
	expect(markers.display(`${first}${second}`)).toBe("[b]");
	expect(markers.expand(`1${second}2`)).toBe("1B2");
});

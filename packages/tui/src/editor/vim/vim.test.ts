/** Vim's keys do what a vim user expects. */
import { describe, expect, test } from "bun:test";

import { editorFixture, press, seen, type } from "../testing/keyboard.ts";

/** A text with `|` before the character that the caret is on. */
function run(before: string, keys: string): string {
	const { editor } = editorFixture({ vimMode: true });
	const at = before.indexOf("|");
	editor.setText(before.replace("|", ""));
	press(editor, "ctrl+home");
	for (let left = at; left > 0; left--) press(editor, "right");
	const isInside = editor.getCursor().col > 0;
	// Leaving insert mode moves one to the left.
	press(editor, "escape", ...(isInside ? ["l"] : []));
	for (const key of keys.match(/<[^>]+>|[^]/gu) ?? []) {
		press(editor, key.length > 1 && key.startsWith("<") ? key.slice(1, -1) : key);
	}
	const { line, col } = editor.getCursor();
	const lines = editor.getLines();
	lines[line] = `${lines[line]!.slice(0, col)}|${lines[line]!.slice(col)}`;
	return lines.join("\n");
}

const motions: [string, string, string][] = [
	["a|bc", "h", "|abc"],
	["|abc", "l", "a|bc"],
	["|abc", "9l", "ab|c"],
	["|one two", "w", "one |two"],
	["|one two three", "2w", "one two |three"],
	["|one.two", "w", "one|.two"],
	["|one.two three", "W", "one.two |three"],
	["|one\ntwo", "w", "one\n|two"],
	["|one\n\ntwo", "w", "one\n|\ntwo"],
	["one tw|o", "b", "one |two"],
	["one |two", "b", "|one two"],
	["one\n|two", "b", "|one\ntwo"],
	["one.two |three", "B", "|one.two three"],
	["|one two", "e", "on|e two"],
	["on|e two", "e", "one tw|o"],
	["on|e\ntwo", "e", "one\ntw|o"],
	["  on|e", "0", "|  one"],
	["  on|e", "^", "  |one"],
	["|one", "$", "on|e"],
	["one\ntw|o", "gg", "|one\ntwo"],
	["|one\n two", "G", "one\n |two"],
	["|one\ntwo\nthree", "2G", "one\n|two\nthree"],
	["|one\ntwo", "j", "one\n|two"],
	["one\n|two", "k", "|one\ntwo"],
	["|a(b(c", "f(", "a|(b(c"],
	["|a(b(c", "2f(", "a(b|(c"],
	["|a(b(c", "t(", "|a(b(c"],
	["|ab(c(d", "t(;", "ab(|c(d"],
	["|a(b(c", "f(;", "a(b|(c"],
	["|a(b(c", "f(;,", "a|(b(c"],
	["a(b(|c", "F(", "a(b|(c"],
	["a(b(|c", "2T(", "a(|b(c"],
	["|a\nb\n\nc", "}", "a\nb\n|\nc"],
	["a\n\nb\n|c", "{", "a\n|\nb\nc"],
	["one |two", "<backspace>", "one| two"],
	["|👨‍👩‍👧x", "l", "👨‍👩‍👧|x"],
];

const edits: [string, string, string][] = [
	["|abc", "x", "|bc"],
	["|abc", "2x", "|c"],
	["ab|c", "x", "a|b"],
	["ab|c", "X", "a|c"],
	["|one two", "dw", "|two"],
	["|one two three", "d2w", "|three"],
	["|one two three", "2dw", "|three"],
	["one |two\nthree", "dw", "one| \nthree"],
	["|one two", "de", "| two"],
	["one two|", "db", "one |o"],
	["on|e two", "d$", "o|n"],
	["on|e two", "D", "o|n"],
	["one |two", "d0", "|two"],
	["|a(b)c", "df)", "|c"],
	["|a(b)c", "dt)", "|)c"],
	["on|e\ntwo\nthree", "dd", "|two\nthree"],
	["on|e\ntwo\nthree", "2dd", "|three"],
	["one\ntw|o", "dd", "|one"],
	["on|e", "dd", "|"],
	["one\n|two\nthree", "dj", "|one"],
	["one\n|two\nthree", "dgg", "|three"],
	["one\n|two\nthree", "dG", "|one"],
	["|one two", "cwx", "x| two"],
	["|one two", "ccx", "x|"],
	["o|ne two", "Cx", "ox|"],
	["|one", "sx", "x|ne"],
	["|one two", "Sx", "x|"],
	["|one two", "ywP", "one| one two"],
	["|one two", "yyp", "one two\n|one two"],
	["one\n|two", "yyP", "one\n|two\ntwo"],
	["|one\ntwo", "ddp", "two\n|one"],
	["|ab", "xp", "b|a"],
	["|ab", "x3p", "baa|a"],
	["|ab", "yy2p", "ab\n|ab\nab"],
	["|one", "ix", "x|one"],
	["|one", "ax", "ox|ne"],
	["o|ne", "Ax", "onex|"],
	["  on|e", "Ix", "  x|one"],
	["|one\ntwo", "ox", "one\nx|\ntwo"],
	["one\n|two", "Ox", "one\nx|\ntwo"],
	["|one two", "dwu", "|one two"],
	["|one two", "dwu<ctrl+r>", "|two"],
	["|one", "rx", "|xne"],
	["|one", "3rx", "xx|x"],
	["|one", "4rx", "|one"],
	["|one", "2~", "ON|e"],
	["|one\n  two", "J", "one| two"],
	["one t|wo three", "diw", "one | three"],
	["one t|wo three", "daw", "one |three"],
	["one t|wo", "daw", "on|e"],
	["a.b|.c", "diw", "a.b|c"],
	["one.t|wo three", "diW", "| three"],
	["one t|wo three", "ciwx", "one x| three"],
	['say "he|llo" now', 'di"', 'say "|" now'],
	['say "he|llo" now', 'da"', "say | now"],
	['|say "hello" now', 'ci"x', 'say "x|" now'],
	["f(a, (b|), c)", "di(", "f(a, (|), c)"],
	["f(a|, (b), c)", "di(", "f(|)"],
	["f(a|, (b), c)", "da(", "|f"],
	["f(\n a|b\n)", "dib", "f(|)"],
	["{|a}", "ci{x", "{x|}"],
	["no |brackets", "di(", "no |brackets"],
	["|one two", "vd", "|ne two"],
	["|one two", "vey", "|one two"],
	["|one two", "veyP", "on|eone two"],
	["|one two", "vwd", "|wo"],
	["one |two three", "viwd", "one | three"],
	["|one\ntwo\nthree", "Vjd", "|three"],
	["one|\ntwo", "Vcx", "x|\ntwo"],
	["on|e two", "vbod", "| two"],
	["|one", "zzqx", "|ne"],
	["|one", "d<escape>x", "|ne"],
	["|one", "dzx", "|ne"],
];

describe("motions", () => {
	test.each(motions)("%j %s %j", (before, keys, after) => expect(run(before, keys)).toBe(after));
});

describe("edits", () => {
	test.each(edits)("%j %s %j", (before, keys, after) => expect(run(before, keys)).toBe(after));
});

test("a new editor is in insert mode; escape enters normal mode, where it belongs to the application", () => {
	const { editor, sent } = editorFixture({ vimMode: true });
	type(editor, "hi");
	expect([editor.getVimMode(), editor.wantsEscape()]).toEqual(["insert", true]);
	press(editor, "escape");
	expect([editor.getVimMode(), editor.wantsEscape()]).toEqual(["normal", false]);
	press(editor, "enter");
	expect([sent, editor.getVimMode()]).toEqual([["hi"], "insert"]);
});

test("the mode, a started command and a selection are shown", () => {
	const { editor } = editorFixture({ vimMode: true });
	editor.setText("one two");
	expect(seen(editor, 24)).toContain("INSERT ─");
	press(editor, "escape", "2", "d");
	expect(seen(editor, 24)).toContain("2d NORMAL ─");
	press(editor, "escape", "v", "b");
	expect(seen(editor, 24)).toContain("one ▏t«wo»");
	expect(seen(editor, 24)).toContain("VISUAL ─");
});

test("whole lines are yanked as lines only until something else is cut", () => {
	const { editor } = editorFixture({ vimMode: true });
	editor.setText("one\ntwo");
	press(editor, "escape", "d", "d", "A", "ctrl+u", "escape", "p", "p");
	expect(editor.getText()).toBe("oneone");
});

test("vim keys can be switched while writing", () => {
	const { editor } = editorFixture();
	expect(editor.getVimMode()).toBeUndefined();
	editor.setVimMode(true);
	press(editor, "escape", "x", "i");
	type(editor, "x");
	editor.setVimMode(false);
	press(editor, "escape");
	type(editor, "x");
	expect(editor.getText()).toBe("xx");
});

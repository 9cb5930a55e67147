/** Writing a prompt: what keys do to the text, to the caret and to what is submitted. */
import { afterEach, describe, expect, test } from "bun:test";

import { KeybindingsManager, setKeybindings, TUI_KEYBINDINGS } from "../input/index.ts";
import { limits } from "./limits.ts";
import { editorFixture, paste, press, seen, type } from "./testing/keyboard.ts";

afterEach(() => setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS)));

describe("sending", () => {
	test("enter submits the trimmed text and leaves an empty editor without undo", () => {
		const { editor, sent, changes } = editorFixture();
		type(editor, " hi there ");
		press(editor, "enter", "ctrl+-");
		expect(sent).toEqual(["hi there"]);
		expect(editor.getText()).toBe("");
		expect(changes.at(-1)).toBe("");
		expect(changes).toHaveLength(" hi there ".length + 1);
	});

	test("shift+enter, ctrl+j and a backslash before enter insert a new line", () => {
		const { editor, sent } = editorFixture();
		type(editor, "a");
		press(editor, "shift+enter");
		type(editor, "b\nc\\");
		press(editor, "enter");
		type(editor, "d");
		expect(editor.getText()).toBe("a\nb\nc\nd");
		expect(sent).toEqual([]);
		press(editor, "enter");
		expect(sent).toEqual(["a\nb\nc\nd"]);
	});

	test("nothing is submitted while submitting is off", () => {
		const { editor, sent } = editorFixture();
		editor.disableSubmit = true;
		type(editor, "wait");
		press(editor, "enter");
		expect([sent, editor.getText()]).toEqual([[], "wait"]);
	});

	test("keys bound by the user work, and the old ones no longer do", () => {
		setKeybindings(
			new KeybindingsManager(TUI_KEYBINDINGS, { "tui.input.submit": "alt+s", "tui.input.newLine": "enter" }),
		);
		const { editor, sent } = editorFixture();
		type(editor, "a");
		press(editor, "enter");
		type(editor, "b");
		press(editor, "alt+s");
		expect(sent).toEqual(["a\nb"]);
	});

	test("a key release types nothing, and unknown sequences type nothing", () => {
		const { editor } = editorFixture();
		for (const data of [
			"\x1b[97;1:3u",
			"\x1b[?62c",
			"\x1b]11;rgb:0/0/0\x07",
			"\x1b[57441u",
			"\x1b[97;33u",
			"\x00",
		]) {
			editor.handleInput(data);
		}
		expect(editor.getText()).toBe("");
		for (const data of ["\x1b[97u", "\x1b[97:65;2u", "\x1b[27;2;66~", "\x1bOp"]) editor.handleInput(data);
		for (const data of ["\x1b[127;1:3u", "\x1b[1;1:3D"]) editor.handleInput(data);
		expect([editor.getText(), editor.getCursor().col]).toEqual(["aAB0", 4]);
	});
});

describe("the caret", () => {
	test("moves by character, word, line and text", () => {
		const { editor } = editorFixture();
		editor.setText("one two.three\nfour");
		press(editor, "ctrl+a", "left");
		expect(editor.getCursor()).toEqual({ line: 0, col: 13 });
		press(editor, "alt+b");
		expect(editor.getCursor().col).toBe(8);
		press(editor, "ctrl+left");
		expect(editor.getCursor().col).toBe(7);
		press(editor, "ctrl+left", "ctrl+left");
		expect(editor.getCursor().col).toBe(0);
		press(editor, "alt+f");
		expect(editor.getCursor().col).toBe(3);
		press(editor, "ctrl+end");
		expect(editor.getCursor()).toEqual({ line: 1, col: 4 });
		press(editor, "ctrl+home", "ctrl+e", "right");
		expect(editor.getCursor()).toEqual({ line: 1, col: 0 });
	});

	test("is never inside a cluster, and deletes it completely", () => {
		const { editor } = editorFixture();
		editor.setText("a👨‍👩‍👧e\u0301🇩🇪b");
		const stops: number[] = [];
		for (let step = 0; step < 5; step++) {
			press(editor, "left");
			stops.push(editor.getCursor().col);
		}
		expect(stops).toEqual([15, 11, 9, 1, 0]);
		press(editor, "right", "delete", "delete");
		expect(editor.getText()).toBe("a🇩🇪b");
		press(editor, "delete", "backspace");
		expect(editor.getText()).toBe("b");
	});

	test("stays between clusters when a letter is typed before a combining mark", () => {
		const { editor } = editorFixture();
		editor.setText("\u0301");
		press(editor, "home");
		type(editor, "e");
		expect(editor.getCursor()).toEqual({ line: 0, col: 2 });
	});

	test("treats a character with hundreds of marks as one", () => {
		const { editor } = editorFixture();
		editor.setText(`a${"e" + "\u0301".repeat(2000)}b`);
		press(editor, "left", "left");
		expect(editor.getCursor().col).toBe(1);
		press(editor, "delete");
		expect(editor.getText()).toBe("ab");
	});

	test("is visible also on a character without width", () => {
		const { editor } = editorFixture();
		editor.setText("a\u200bb");
		press(editor, "home", "right");
		expect(seen(editor, 20)).toContain("a\u200b▏b");
	});

	test("stays in the row that it is moved to, although that row is shorter", () => {
		const { editor } = editorFixture();
		editor.setText("hello abcdefghij");
		expect(seen(editor, 11)).toContain("hello\nabcdefghij█");
		press(editor, "up");
		expect(seen(editor, 11)).toContain("hello█\nabcdefghij");
	});

	test("keeps its column across shorter rows", () => {
		const { editor } = editorFixture();
		editor.setText("a long first line\nshort\nanother long line");
		press(editor, "up");
		expect(editor.getCursor()).toEqual({ line: 1, col: 5 });
		press(editor, "up");
		expect(editor.getCursor()).toEqual({ line: 0, col: 17 });
		press(editor, "left", "down", "down");
		expect(editor.getCursor()).toEqual({ line: 2, col: 16 });
	});

	test("moves up and down the displayed rows, by cells and not by letters", () => {
		const { editor } = editorFixture();
		editor.setText("世界世界世界世界 abcdefghij");
		expect(seen(editor, 11)).toBe("───────────\n世界世界世\n界世界\nabcdefghij█\n───────────");
		press(editor, "home", "down");
		expect(editor.getCursor().col).toBe(5);
		press(editor, "right", "down");
		expect(editor.getCursor().col).toBe(11);
	});

	test("jumps to a character forwards and backwards, across lines", () => {
		const { editor } = editorFixture();
		editor.setText("one (two)\nthree (four)");
		press(editor, "ctrl+home", "ctrl+]", "(");
		expect(editor.getCursor()).toEqual({ line: 0, col: 4 });
		press(editor, "ctrl+]", "(");
		expect(editor.getCursor()).toEqual({ line: 1, col: 6 });
		press(editor, "ctrl+alt+]", "o", "ctrl+]", "escape");
		type(editor, "!");
		expect(editor.getText()).toBe("one (tw!o)\nthree (four)");
	});
});

describe("cut and yank", () => {
	test("successive cuts are joined, in the order of the text", () => {
		const { editor } = editorFixture();
		editor.setText("one two three");
		press(editor, "ctrl+w", "ctrl+w");
		expect(editor.getText()).toBe("one ");
		press(editor, "ctrl+y");
		expect(editor.getText()).toBe("one two three");
		press(editor, "ctrl+a", "ctrl+k", "ctrl+y", "ctrl+y");
		expect(editor.getText()).toBe("one two threeone two three");
	});

	test("after a yank, older cuts can be cycled through", () => {
		const { editor } = editorFixture();
		for (const word of ["one", "two", "three"]) {
			editor.setText(word);
			press(editor, "ctrl+u");
		}
		press(editor, "ctrl+y");
		expect(editor.getText()).toBe("three");
		press(editor, "alt+y");
		expect(editor.getText()).toBe("two");
		press(editor, "alt+y", "alt+y");
		expect(editor.getText()).toBe("three");
		press(editor, "left", "alt+y");
		expect(editor.getText()).toBe("three");
	});

	test("at the edges of a line the line break is cut", () => {
		const { editor } = editorFixture();
		editor.setText("ab\ncd");
		press(editor, "home", "ctrl+u");
		expect(editor.getText()).toBe("abcd");
		press(editor, "ctrl+y", "left", "ctrl+k");
		expect(editor.getText()).toBe("abcd");
	});
});

describe("undo", () => {
	test("undoes typing word by word and redoes it", () => {
		const { editor } = editorFixture();
		type(editor, "one two three");
		press(editor, "ctrl+-");
		expect(editor.getText()).toBe("one two ");
		press(editor, "ctrl+-");
		expect(editor.getText()).toBe("one ");
		press(editor, "alt+-", "alt+-", "alt+-");
		expect(editor.getText()).toBe("one two three");
		press(editor, "ctrl+-");
		type(editor, "x");
		press(editor, "alt+-");
		expect(editor.getText()).toBe("one two x");
	});

	test("typing after a caret move is a new step, and so is typing elsewhere", () => {
		const { editor } = editorFixture();
		type(editor, "ab");
		press(editor, "left", "right");
		type(editor, "cd");
		press(editor, "ctrl+-");
		expect(editor.getText()).toBe("ab");
		editor.setText("\u0301");
		press(editor, "home");
		// The letter gets the combining mark, and the caret goes after both.
		type(editor, "ex");
		press(editor, "ctrl+-");
		expect(editor.getText()).toBe("e\u0301");
	});

	test("a run of backspaces, a paste, a cut and a new text are one step each", () => {
		const { editor } = editorFixture();
		type(editor, "abcdef");
		press(editor, "backspace", "backspace", "backspace");
		paste(editor, "pasted text");
		press(editor, "ctrl+w");
		editor.setText("all new");
		const back: string[] = [];
		for (let step = 0; step < 5; step++) {
			press(editor, "ctrl+-");
			back.push(editor.getText());
		}
		expect(back).toEqual(["abcpasted ", "abcpasted text", "abc", "abcdef", ""]);
	});

	test("the number of steps is limited", () => {
		const { editor } = editorFixture();
		for (let step = 0; step < limits.undoSteps + 5; step++) editor.insertTextAtCursor("x");
		for (let step = 0; step < limits.undoSteps + 5; step++) press(editor, "ctrl+-");
		expect(editor.getText()).toBe("xxxxx");
	});
});

describe("older prompts", () => {
	test("up and down walk through them and return to the draft", () => {
		const { editor } = editorFixture();
		for (const prompt of ["first", "second\nof two lines", "second\nof two lines", "third"]) {
			editor.addToHistory(prompt);
		}
		press(editor, "up");
		expect(editor.getText()).toBe("third");
		press(editor, "up");
		expect(editor.getText()).toBe("second\nof two lines");
		press(editor, "up", "up");
		expect(editor.getText()).toBe("first");
		press(editor, "down", "down", "down", "down");
		expect(editor.getText()).toBe("");
	});

	test("typed text filters them, and is restored at the end", () => {
		const { editor } = editorFixture();
		for (const prompt of ["fix the tests", "add a page", "fix the types"]) editor.addToHistory(prompt);
		type(editor, "fix");
		press(editor, "up");
		expect(editor.getText()).toBe("fix the types");
		press(editor, "up");
		expect(editor.getText()).toBe("fix the tests");
		press(editor, "down", "down");
		expect(editor.getText()).toBe("fix");
	});

	test("typed text is not offered again", () => {
		const { editor } = editorFixture();
		for (const prompt of ["old", "new"]) editor.addToHistory(prompt);
		type(editor, "new");
		press(editor, "home", "up");
		expect(editor.getText()).toBe("old");
	});

	test("after another key the arrows move the caret again", () => {
		const { editor } = editorFixture();
		for (const prompt of ["old", "two\nlines"]) editor.addToHistory(prompt);
		press(editor, "up", "left", "up");
		expect([editor.getText(), editor.getCursor().line]).toEqual(["two\nlines", 0]);
		press(editor, "up");
		expect(editor.getText()).toBe("old");
	});

	test("those of earlier sessions are read when they are first asked for, and come after this session's", () => {
		const { editor } = editorFixture();
		let reads = 0;
		editor.earlierPrompts = () => {
			reads++;
			return ["oldest", "shared", "older"];
		};
		editor.addToHistory("shared");
		type(editor, "draft");
		press(editor, "left", "right", "backspace", "t");
		expect(reads).toBe(0);
		press(editor, "home", "up");
		expect(editor.getText()).toBe("shared");
		press(editor, "up");
		expect(editor.getText()).toBe("older");
		press(editor, "up", "up", "up");
		expect(editor.getText()).toBe("oldest");
		press(editor, "down", "down", "down");
		expect([editor.getText(), reads]).toEqual(["draft", 1]);
	});

	test("a draft that matches nothing is unchanged", () => {
		const { editor } = editorFixture();
		editor.addToHistory("something");
		type(editor, "else");
		press(editor, "up");
		expect([editor.getText(), editor.getCursor().col]).toEqual(["else", 0]);
		press(editor, "down");
		expect(editor.getCursor().col).toBe(4);
	});

	test("the search matches any part, the same key finds older ones, and enter applies the match without submitting", () => {
		const { editor, sent } = editorFixture();
		for (const prompt of ["run the Tests", "write tests", "make coffee"]) editor.addToHistory(prompt);
		type(editor, "draft");
		press(editor, "ctrl+r");
		expect(editor.wantsEscape()).toBe(true);
		type(editor, "testx");
		press(editor, "backspace");
		expect(seen(editor, 40)).toContain("history: test█ 1/2");
		expect(seen(editor, 40)).toContain("write tests");
		press(editor, "ctrl+r", "ctrl+r", "enter");
		expect([editor.getText(), sent, editor.wantsEscape()]).toEqual(["run the Tests", [], false]);
		press(editor, "ctrl+-");
		expect(editor.getText()).toBe("draft");
	});

	test("escape leaves the search with the draft unchanged; another key applies the match and continues", () => {
		const { editor } = editorFixture();
		editor.addToHistory("older prompt");
		type(editor, "draft");
		press(editor, "ctrl+r", "o", "escape");
		expect(editor.getText()).toBe("draft");
		press(editor, "ctrl+r", "o", "ctrl+a");
		type(editor, "> ");
		expect(editor.getText()).toBe("> older prompt");
		press(editor, "ctrl+r");
		type(editor, "nowhere");
		expect(seen(editor, 40)).toContain("no match");
		press(editor, "enter");
		expect(editor.getText()).toBe("> older prompt");
	});
});

describe("pastes", () => {
	const long = Array.from({ length: 123 }, (_, index) => `line ${index}`).join("\n");

	test("a short one is text, a long one a marker that is submitted completely", () => {
		const { editor, sent } = editorFixture();
		paste(editor, "short\ntext");
		paste(editor, long);
		expect(editor.getText()).toBe("short\ntext[paste #1 +123 lines]");
		expect(editor.getExpandedText()).toBe(`short\ntext${long}`);
		paste(editor, "x".repeat(1001));
		expect(editor.getText()).toEndWith("[paste #2 1001 chars]");
		press(editor, "enter");
		expect(sent).toEqual([`short\ntext${long}${"x".repeat(1001)}`]);
	});

	test("a marker is one character for the caret, for deleting, cutting and undo", () => {
		const { editor } = editorFixture();
		type(editor, "a");
		paste(editor, long);
		type(editor, "b");
		press(editor, "left", "left");
		expect(editor.getCursor().col).toBe(1);
		press(editor, "delete");
		expect(editor.getText()).toBe("ab");
		press(editor, "ctrl+-");
		expect(editor.getExpandedText()).toBe(`a${long}b`);
		press(editor, "end", "ctrl+w", "ctrl+w", "ctrl+a", "ctrl+y");
		expect(editor.getExpandedText()).toBe(`${long}ba`);
		press(editor, "home", "right", "backspace");
		expect(editor.getText()).toBe("ba");
	});

	test("text that looks like a marker is only text", () => {
		const { editor, sent } = editorFixture();
		paste(editor, long);
		type(editor, " see [paste #1 +123 lines]");
		press(editor, "enter");
		expect(sent).toEqual([`${long} see [paste #1 +123 lines]`]);
		paste(editor, `${long}\n[paste #1 +124 lines]`);
		expect(editor.getExpandedText()).toBe(`${long}\n[paste #1 +124 lines]`);
	});

	test("a cut marker can be yanked into the next prompt", () => {
		const { editor, sent } = editorFixture();
		paste(editor, long);
		press(editor, "ctrl+w");
		type(editor, "first");
		press(editor, "enter", "ctrl+y", "enter");
		expect(sent).toEqual(["first", long]);
	});

	test("nothing in a paste has an effect: no enter, no control characters, no sequences", () => {
		const { editor, sent } = editorFixture();
		paste(editor, "rm -rf /\r\nexit\r\x03\x1b[2J\x1b]52;c;aGk=\x07\tend\u202e\ud800");
		expect(sent).toEqual([]);
		expect(editor.getText()).toBe("rm -rf /\nexit\n    end\ufffd");
	});

	test("a paste that arrives in chunks is one, with the keys before and after it", () => {
		const { editor, changes } = editorFixture();
		for (const piece of ["a\x1b[200~on", "e\r", "two\x1b[2", "01~x"]) editor.handleInput(piece);
		expect(editor.getText()).toBe("aone\ntwox");
		expect(changes.at(-1)).toBe("aone\ntwox");
	});

	test("the application may handle a paste, such as the path of an image, and gets it back on submit", () => {
		const { editor, changes } = editorFixture();
		const image = { bytes: 3 };
		const submitted: unknown[] = [];
		editor.onPasteText = (text) =>
			text.endsWith(".png") ? { label: "image #1", expansion: "(image 1)", data: image } : undefined;
		editor.onSubmit = (text, markers) => submitted.push(text, ...(markers ?? []).map(({ data }) => data));
		paste(editor, "/tmp/shot.png");
		expect(changes).toEqual(["[image #1]"]);
		type(editor, " what is it?");
		expect(editor.getText()).toBe("[image #1] what is it?");
		expect(editor.getMarkers().map(({ label }) => label)).toEqual(["image #1"]);
		press(editor, "enter");
		expect(submitted).toEqual(["(image 1) what is it?", image]);
	});

	test("beyond the maximum of markers, pastes are inserted as text", () => {
		const { editor } = editorFixture();
		for (let count = 0; count < limits.markers; count++) editor.insertMarker({ label: "m", expansion: "x" });
		editor.insertMarker({ label: "m", expansion: "plain" });
		expect(editor.getText()).toBe(`${"[m]".repeat(limits.markers)}plain`);
		expect(editor.getExpandedText()).toBe(`${"x".repeat(limits.markers)}plain`);
	});
});

describe("text from the application", () => {
	test("is inserted at the caret as one step, sanitized", () => {
		const { editor, changes } = editorFixture();
		type(editor, "ab");
		press(editor, "left");
		editor.insertTextAtCursor("[\x1b[31mx\r\ny]");
		expect(editor.getText()).toBe("a[x\ny]b");
		expect(changes.at(-1)).toBe("a[x\ny]b");
		press(editor, "ctrl+-");
		expect(editor.getText()).toBe("ab");
	});

	test("the external editor gets the whole text, and its result is the new text", async () => {
		const { editor, frames } = editorFixture();
		type(editor, "see ");
		paste(editor, "y".repeat(2000));
		const texts: string[] = [];
		editor.onExternalEditor = async (text) => {
			texts.push(text);
			// A second request while the program is open is ignored.
			await editor.openExternalEditor();
			return "edited\n";
		};
		await editor.openExternalEditor();
		expect(texts).toEqual([`see ${"y".repeat(2000)}`]);
		expect([editor.getText(), frames()]).toEqual(["edited", 1]);
		editor.onExternalEditor = async () => undefined;
		await editor.openExternalEditor();
		expect(editor.getText()).toBe("edited");
	});
});

/** A program in a terminal of its own gets the keys that it would get from xterm. */
import { expect, test } from "bun:test";

import { encodeKey } from "./encode-key.ts";

const cases: [what: string, data: string, sent: string | undefined][] = [
	["a letter", "a", "a"],
	["a letter of another script", "ж", "ж"],
	["an upper-case letter of the kitty protocol", "\x1b[97:65;2u", "A"],
	["a letter of modifyOtherKeys", "\x1b[27;2;65~", "A"],
	["Enter", "\r", "\r"],
	["Enter of the kitty protocol", "\x1b[13u", "\r"],
	["Escape", "\x1b", "\x1b"],
	["Escape of the kitty protocol", "\x1b[27u", "\x1b"],
	["Backspace", "\x7f", "\x7f"],
	["Tab", "\t", "\t"],
	["Shift+Tab", "\x1b[Z", "\x1b[Z"],
	["Space", " ", " "],
	["Ctrl+C", "\x03", "\x03"],
	["Ctrl+C of the kitty protocol", "\x1b[99;5u", "\x03"],
	["Ctrl+Space", "\x1b[32;5u", "\0"],
	["Ctrl+\\", "\x1b[92;5u", "\x1c"],
	["Ctrl+_", "\x1b[95;5u", "\x1f"],
	["Alt+x", "\x1bx", "\x1bx"],
	["Alt+x of the kitty protocol", "\x1b[120;3u", "\x1bx"],
	["Alt+Backspace", "\x1b\x7f", "\x1b\x7f"],
	["Ctrl+Alt+a", "\x1b[97;7u", "\x1b\x01"],
	["Up", "\x1b[A", "\x1b[A"],
	["Up of an application keypad", "\x1bOA", "\x1b[A"],
	["Ctrl+Left", "\x1b[1;5D", "\x1b[1;5D"],
	["Home", "\x1b[1~", "\x1b[H"],
	["Page Down", "\x1b[6~", "\x1b[6~"],
	["Shift+Delete", "\x1b[3;2~", "\x1b[3;2~"],
	["F1", "\x1b[11~", "\x1bOP"],
	["F5", "\x1b[15~", "\x1b[15~"],
	["F12 with Ctrl", "\x1b[24;5~", "\x1b[24;5~"],
	["a key that repeats", "\x1b[97;1:2u", "a"],
	["a key release", "\x1b[97;1:3u", undefined],
	["several characters at once", "hello", "hello"],
	["a mouse report", "\x1b[<0;10;10M", undefined],
	["a reply of the terminal", "\x1b[?1;2c", undefined],
];

test.each(cases)("%s", (_what, data, sent) => {
	expect(encodeKey(data, { applicationCursor: false })).toBe(sent);
});

test("arrow keys follow the mode of the program", () => {
	const keys = ["\x1b[A", "\x1b[H", "\x1b[1;5A", "\x1b[57419u"];
	expect(keys.map((key) => encodeKey(key, { applicationCursor: true }))).toEqual([
		"\x1bOA",
		"\x1bOH",
		"\x1b[1;5A",
		"\x1bOA",
	]);
});

/** Keys reach a program as a terminal would send them. */
import { expect, test } from "bun:test";

import { bytesOf, pasted } from "./terminal-keys.ts";

const key = (
	name: string,
	held: Partial<Record<"ctrlKey" | "altKey" | "shiftKey" | "metaKey", true>> = {},
) => ({
	key: name,
	ctrlKey: false,
	altKey: false,
	shiftKey: false,
	metaKey: false,
	...held,
});

test.each([
	["Enter", key("Enter"), "\r"],
	["Backspace", key("Backspace"), "\x7f"],
	["Shift+Tab", key("Tab", { shiftKey: true }), "\x1b[Z"],
	["an arrow", key("ArrowUp"), "\x1b[A"],
	["Ctrl+an arrow", key("ArrowLeft", { ctrlKey: true }), "\x1b[1;5D"],
	["F2", key("F2"), "\x1bOQ"],
	["Delete", key("Delete"), "\x1b[3~"],
	["Ctrl+C", key("c", { ctrlKey: true }), "\x03"],
	["Alt+b", key("b", { altKey: true }), "\x1bb"],
	["a letter, which is text", key("a"), undefined],
	["Command+V, which is the browser's", key("v", { metaKey: true }), undefined],
	["Ctrl+Shift+C, which copies", key("C", { ctrlKey: true, shiftKey: true }), undefined],
])("%s", (_, event, bytes) => {
	expect(bytesOf(event, false)).toBe(bytes);
});

test("programs that ask for it get the other arrows", () => {
	expect(bytesOf(key("ArrowUp"), true)).toBe("\x1bOA");
});

test("pasted text cannot leave its brackets", () => {
	expect(pasted("a\nb\x1b[201~rm", true)).toBe("\x1b[200~a\rb[201~rm\x1b[201~");
});

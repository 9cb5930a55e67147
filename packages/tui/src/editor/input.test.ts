/** A single-line field: the same keys, one row, the caret always visible. */
import { expect, test } from "bun:test";

import { Input } from "./input.ts";
import { paste, press, seen, type } from "./testing/keyboard.ts";

function field(value = ""): Input {
	const input = new Input();
	input.focused = true;
	input.setValue(value);
	return input;
}

test("scrolls sideways with the caret and shows as much as fits", () => {
	const input = field("The quick brown fox");
	expect(seen(input, 12)).toBe("> brown fox█");
	press(input, "home");
	expect(seen(input, 12)).toBe("> ▏The quick");
	press(input, "end", "left", "left");
	expect(seen(input, 12)).toBe("> k brown f▏o");
	press(input, "ctrl+w", "ctrl+k");
	expect(seen(input, 12)).toBe("> ck brown █");
	expect(seen(input, 40)).toBe("> The quick brown █");
});

test("wide characters are shown completely or not at all", () => {
	const input = field("世界世界世界");
	expect(seen(input, 9)).toBe("> 界世界█");
	press(input, "home");
	expect(seen(input, 7)).toBe("> ▏世界");
	for (const width of [1, 2, 3]) expect(input.render(width)).toHaveLength(1);
});

test("enter submits, escape and ctrl+c cancel, keys edit", () => {
	const input = field();
	const calls: string[] = [];
	input.onSubmit = (value) => calls.push(value);
	input.onEscape = () => calls.push("left");
	type(input, "one two");
	press(input, "alt+backspace", "ctrl+y", "ctrl+-", "enter", "escape", "ctrl+c", "ctrl+j");
	expect(calls).toEqual(["one ", "left", "left"]);
	expect(input.getValue()).toBe("one ");
});

test("a paste becomes one line without control characters", () => {
	const input = field();
	paste(input, "one\r\ntwo\x1b[31m\tthree\n");
	expect(input.getValue()).toBe("one two    three");
});

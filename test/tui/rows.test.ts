/** Rows are changed by the fewest bytes, and what a terminal then shows is the row. */
import { expect, test } from "bun:test";
import fc from "fast-check";

import { TUI, type Component } from "@tau/tui";

import { samples } from "../support/depth.ts";
import { TestClock } from "./clock.ts";
import { Emulator } from "./emulator.ts";

class Rows implements Component {
	rows: string[] = [];

	render(): string[] {
		return this.rows;
	}

	invalidate(): void {}
}

function screenOf(columns: number, rows: number) {
	const terminal = new Emulator({ columns, rows });
	const clock = new TestClock();
	const tui = new TUI(terminal, false, clock);
	const component = new Rows();
	tui.addChild(component);
	tui.start();
	return { terminal, clock, tui, component };
}

const style = fc.constantFrom(
	"",
	"\x1b[31m",
	"\x1b[1m",
	"\x1b[4m",
	"\x1b[7;3m",
	"\x1b[39m",
	"\x1b[0m",
	"\x1b[48;5;20m",
	"\x1b]8;;https://a.b\x1b\\",
	"\x1b]8;;\x1b\\",
);
const text = fc.oneof(
	fc.string({ maxLength: 10 }),
	fc.constantFrom("漢", "字", "é", "e\u0301", "ñ", "word word "),
);
const row = fc.array(fc.tuple(style, text), { maxLength: 6 }).map((parts) => parts.flat().join(""));

test("after any two frames the screen shows only the second", async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(row, { maxLength: 5 }),
			fc.array(row, { maxLength: 5 }),
			async (first, second) => {
				const both = screenOf(24, 8);
				both.component.rows = first;
				await both.clock.pass(100);
				both.component.rows = second;
				both.tui.requestRender();
				await both.clock.pass(100);
				const fresh = screenOf(24, 8);
				fresh.component.rows = second;
				await fresh.clock.pass(100);
				expect(both.terminal.cells()).toEqual(fresh.terminal.cells());
			},
		),
		{ numRuns: samples(400) },
	);
});

test("adding a word to a row writes about its own length", async () => {
	const { terminal, clock, tui, component } = screenOf(80, 10);
	component.rows = ["\x1b[36mThe answer comes in word by word, and this row is already rather long\x1b[0m"];
	await clock.pass(100);
	terminal.written = [];
	component.rows = [
		"\x1b[36mThe answer comes in word by word, and this row is already rather long now\x1b[0m",
	];
	tui.requestRender();
	await clock.pass(100);
	expect(terminal.written.join("").length).toBeLessThan(70);
	expect(terminal.screen()[0]).toEndWith("long now");
});

test("a spinner at the start of a row writes about its own length", async () => {
	const { terminal, clock, tui, component } = screenOf(80, 10);
	const words = "\x1b[38;5;247manswering\x1b[39m\x1b[38;5;244m 4s · esc to stop\x1b[39m";
	component.rows = [` \x1b[36m⠼\x1b[39m ${words}`];
	await clock.pass(100);
	terminal.written = [];
	component.rows = [` \x1b[36m⠴\x1b[39m ${words}`];
	tui.requestRender();
	await clock.pass(100);
	expect(terminal.written.join("").length).toBeLessThan(50);
	expect(terminal.screen()[0]).toBe(" ⠴ answering 4s · esc to stop");
});

test("hundreds of new rows move the editor and the footer down without writing them again", async () => {
	const { terminal, clock, tui, component } = screenOf(80, 20);
	const [border, footer] = ["─".repeat(80), "a footer with much to say"];
	const answer = Array.from({ length: 200 }, (_, at) => `row ${at} of the answer`);
	const foot = [border, "> ", border, footer];
	component.rows = [...answer.slice(0, 3), ...foot];
	await clock.pass(100);
	terminal.written = [];
	component.rows = [...answer, ...foot];
	tui.requestRender();
	await clock.pass(100);
	expect(terminal.written.join("")).not.toContain("─");
	expect(terminal.written.join("")).not.toContain("footer");
	const { history, screen } = terminal.tape();
	expect([...history, ...screen].map((line) => line.trimEnd())).toEqual(
		[...answer, ...foot].map((line) => line.trimEnd()),
	);
});

test("an unchanged frame writes nothing", async () => {
	const { terminal, clock, tui, component } = screenOf(80, 10);
	component.rows = ["one", "two"];
	await clock.pass(100);
	terminal.written = [];
	tui.requestRender();
	await clock.pass(100);
	expect(terminal.written).toEqual([]);
});

test("a row as wide as the screen is not erased from its last cell on, where some terminals leave the cursor", async () => {
	const { terminal, clock, tui, component } = screenOf(10, 4);
	component.rows = ["0123456789 cut"];
	await clock.pass(100);
	component.rows = ["abcdefghij"];
	tui.requestRender(true);
	await clock.pass(100);
	expect(terminal.written.join("")).not.toMatch(/[9j]\x1b\[K/);
	expect(terminal.screen()[0]).toBe("abcdefghij");
});

test("without a caret the cursor is at the end of the visible text, not of the blank rows", async () => {
	const { terminal, clock, component } = screenOf(20, 8);
	component.rows = ["one", "two", "", ""];
	await clock.pass(100);
	expect(terminal.cursor.row).toBe(1);
});

/** A long conversation: its costs, what stays in memory and what is shown again. */
import { expect, test } from "bun:test";

import { Transcript, TUI, type Component, type TranscriptBlock } from "@tau/tui";

import { TestClock } from "./clock.ts";
import { Emulator } from "./emulator.ts";

class Entry implements TranscriptBlock {
	readonly name: string;
	live = false;
	rows = 3;
	drawn = 0;
	dropped = 0;

	constructor(name: string) {
		this.name = name;
	}

	isFinal(): boolean {
		return !this.live;
	}

	render(width: number): string[] {
		this.drawn++;
		return Array.from({ length: this.rows }, (_, at) => `${this.name}.${at} at ${width}`);
	}

	invalidate(): void {
		this.dropped++;
	}
}

const chrome: Component = { render: () => ["> "], invalidate: () => {} };

async function launch(transcript: Transcript, multiplexer = false) {
	const terminal = new Emulator({ columns: 40, rows: 10, multiplexer });
	const clock = new TestClock();
	const tui = new TUI(terminal, false, clock);
	tui.addChild(transcript);
	tui.addChild(chrome);
	tui.start();
	await clock.pass(100);
	const draw = async () => {
		tui.requestRender();
		await clock.pass(100);
	};
	return { terminal, clock, tui, draw };
}

function fill(transcript: Transcript, count: number): Entry[] {
	const entries = Array.from({ length: count }, (_, at) => new Entry(`e${at}`));
	for (const entry of entries) transcript.addChild(entry);
	return entries;
}

test("a finished entry is laid out once, and releases its rows when they are history", async () => {
	const transcript = new Transcript();
	const { draw } = await launch(transcript);
	const [first, ...rest] = fill(transcript, 1);
	await draw();
	for (let count = 0; count < 20; count++) {
		fill(transcript, 1);
		await draw();
	}
	expect(rest).toEqual([]);
	expect(first?.drawn).toBe(1);
	expect(first?.dropped).toBe(1);
});

test("a very long conversation is not laid out from its start, and a row says so", async () => {
	const transcript = new Transcript({ replayRows: 30 });
	const entries = fill(transcript, 1000);
	const { terminal } = await launch(transcript);
	expect(entries.filter(({ drawn }) => drawn > 0)).toHaveLength(10);
	const { history, screen } = terminal.tape();
	const [note, ...shown] = [...history, ...screen];
	expect(note).toBe("… 990 earlier entries not shown");
	expect(shown[0]).toBe("e990.0 at 40");
	expect(shown.at(-2)).toBe("e999.2 at 40");
});

test("a resize wraps the history again, as far back as configured", async () => {
	const transcript = new Transcript({ replayRows: 60 });
	fill(transcript, 30);
	const { terminal, clock } = await launch(transcript);
	terminal.resize(50, 12);
	terminal.notifyResize();
	await clock.pass(200);
	const { history, screen } = terminal.tape();
	const rows = [...history, ...screen].filter((row) => row !== "");
	expect(rows[0]).toBe("… 10 earlier entries not shown");
	expect(rows.slice(1, -1)).toEqual(
		Array.from({ length: 60 }, (_, at) => `e${10 + Math.floor(at / 3)}.${at % 3} at 50`),
	);
});

test("in a multiplexer a resize keeps the history and lays out only the screen", async () => {
	const transcript = new Transcript();
	const entries = fill(transcript, 30);
	const { terminal, clock } = await launch(transcript, true);
	const drawn = entries.map((entry) => entry.drawn);
	terminal.resize(50, 10);
	terminal.notifyResize();
	await clock.pass(1000);
	expect(terminal.written.join("")).not.toMatch(/\x1b\[[23]J/);
	expect(entries.filter((entry, at) => entry.drawn > (drawn[at] ?? 0)).length).toBeLessThan(6);
	expect(terminal.screen().at(-2)).toBe("e29.2 at 50");
	expect(terminal.tape().history[0]).toBe("e0.0 at 40");
});

test("old entries are released, and row numbers continue", async () => {
	const transcript = new Transcript({ keepRows: 600 });
	const { terminal, draw } = await launch(transcript);
	for (let count = 0; count < 20; count++) {
		fill(transcript, 50);
		await draw();
	}
	expect(transcript.children.length).toBeLessThan(400);
	const { history, screen } = terminal.tape();
	expect(history.length + screen.length).toBe(3001);
	expect(new Set(history).size).toBeLessThanOrEqual(150);
});

test("an unfinished entry is not history, and neither is what follows it", async () => {
	const transcript = new Transcript();
	const { terminal, draw } = await launch(transcript);
	fill(transcript, 2);
	const working = new Entry("work");
	working.live = true;
	transcript.addChild(working);
	fill(transcript, 10);
	await draw();
	expect(terminal.tape().history).toHaveLength(6);
	working.live = false;
	working.rows = 1;
	await draw();
	const { history, screen } = terminal.tape();
	expect([...history, ...screen].filter((row) => row.startsWith("work"))).toEqual(["work.0 at 40"]);
	expect(history.length + screen.length).toBe(6 + 1 + 30 + 1);
});

test("removing entries leaves the screen filled, and nothing new is lost", async () => {
	const transcript = new Transcript();
	const entries = fill(transcript, 20);
	const { terminal, draw } = await launch(transcript);
	for (const entry of entries.slice(-5)) transcript.removeChild(entry);
	await draw();
	expect(terminal.screen()[0]).toBe("e12.0 at 40");
	expect(terminal.screen().at(-1)).toBe(">");
	transcript.addChild(new Entry("new"));
	await draw();
	expect(terminal.screen().slice(-4)).toEqual(["new.0 at 40", "new.1 at 40", "new.2 at 40", ">"]);
});

test("regression: an entry that is still empty when a pane is resized is shown when it is filled", async () => {
	const transcript = new Transcript();
	fill(transcript, 10);
	const answer = new Entry("answer");
	answer.live = true;
	answer.rows = 0;
	transcript.addChild(answer);
	const { terminal, clock, draw } = await launch(transcript, true);
	terminal.resize(50, 10);
	terminal.notifyResize();
	await clock.pass(200);
	answer.rows = 2;
	await draw();
	expect(terminal.screen().slice(-3)).toEqual(["answer.0 at 50", "answer.1 at 50", ">"]);
});

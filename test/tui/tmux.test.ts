/** The same contract in a second, independent emulator that is also a multiplexer. */
import { expect } from "bun:test";
import { join } from "node:path";

import { needs } from "../support/needs.ts";
import { Tmux } from "../support/tmux.ts";

const app = [process.execPath, join(import.meta.dir, "app.ts")];
const entries = (rows: readonly string[]) => rows.filter((row) => row.startsWith("entry"));
const all = (count: number) => Array.from({ length: count }, (_, at) => `entry ${at}.`);

needs("tmux")("in tmux every row is in the pane's history once and in order", async () => {
	using tmux = new Tmux(60, 12, app);
	await tmux.until((rows) => rows.some((row) => row.startsWith("typed")));
	for (let round = 1; round <= 4; round++) {
		tmux.keys("n");
		const rows = await tmux.until((seen) => seen.includes(`entry ${50 * round - 1}.`));
		expect(entries(rows)).toEqual(all(50 * round));
	}
});

needs("tmux")("a pane that is resized loses no row, and the prompt stays whole", async () => {
	using tmux = new Tmux(60, 20, app);
	await tmux.until((rows) => rows.some((row) => row.startsWith("typed")));
	tmux.keys("n");
	await tmux.until((rows) => rows.includes("entry 49."));
	for (const [at, [columns, rows]] of (
		[
			[30, 20],
			[30, 8],
			[90, 8],
			[90, 24],
			[20, 5],
			[60, 20],
		] as const
	).entries()) {
		tmux.resize(columns, rows);
		tmux.keys("y");
		const typed = `typed: "${"y".repeat(at + 1)}"`;
		await tmux.until(
			(seen) => seen.at(-2) === "ticks: 0" && seen.some((row) => typed.startsWith(row) && row !== ""),
		);
	}
	tmux.keys("n");
	const rows = await tmux.until((seen) => seen.includes("entry 99."));
	expect([...new Set(entries(rows))].toSorted()).toEqual(all(100).toSorted());
	expect(rows.findLast((row) => row !== "")).toBe("ticks: 0");
});

needs("tmux")("a pane that becomes narrower or lower shows no row twice", async () => {
	using tmux = new Tmux(60, 20, app);
	await tmux.until((rows) => rows.some((row) => row.startsWith("typed")));
	tmux.keys("w");
	await tmux.until((rows) => rows.some((row) => row.startsWith("entry 49.")));
	for (const [at, [columns, rows]] of (
		[
			[40, 20],
			[25, 20],
			[25, 9],
		] as const
	).entries()) {
		tmux.resize(columns, rows);
		tmux.keys("y");
		const typed = `typed: "${"y".repeat(at + 1)}"`;
		await tmux.until((seen) => seen.at(-2) === "ticks: 0" && seen.at(-3) === typed);
	}
	const numbers = tmux.rows().flatMap((row) => /^entry (\d+)\./.exec(row)?.[1] ?? []);
	expect(numbers.map(Number)).toEqual(Array.from({ length: 50 }, (_, at) => at));
});

needs("tmux")("a pane that is dragged while an answer streams loses no row", async () => {
	using tmux = new Tmux(80, 24, app);
	await tmux.until((rows) => rows.some((row) => row.startsWith("typed")));
	tmux.keys("d");
	const isThere = (text: string) => (rows: string[]) => rows.some((row) => row.startsWith(text));
	await tmux.until(isThere("entry 30."));
	for (let at = 0; at < 60; at++) {
		const step = at % 40 < 20 ? at % 20 : 20 - (at % 20);
		tmux.resize(80 - 2 * step, 24 - Math.floor(step / 2));
	}
	await tmux.until(isThere("entry 399."));
	tmux.keys("y");
	const rows = await tmux.until(isThere('typed: "y"'));
	expect([...new Set(entries(rows))].toSorted()).toEqual(all(400).toSorted());
});

/** What a frame writes: no more than has changed. */
import { expect, test } from "bun:test";

import { makeRow } from "./row.ts";
import { Screen } from "./screen.ts";

test("a row whose spinner has turned is moved down with those below it, and only the spinner is written", () => {
	const screen = new Screen(() => false);
	const frame = (...answer: string[]): string => {
		const status = `${answer.length % 2 === 0 ? "⠸" : "⠴"} answering · esc to interrupt`;
		const rows = [...answer, "", status, "", "> the editor", "the footer"];
		return screen.draw(
			rows.map((row) => makeRow(row, 80)),
			80,
			24,
		);
	};
	expect(frame("one")).toContain("esc to interrupt");
	const bytes = frame("one", "two");
	expect(bytes).toContain("two");
	expect(bytes).toContain("⠸");
	expect(bytes).not.toContain("interrupt");
	expect(bytes).not.toContain("editor");
});

/** The styles of a row cost as few bytes as the row allows, and look the same. */
import { expect, test } from "bun:test";
import { plainStyle } from "@tau/sys";
import fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { writeStyled } from "./styles.ts";

const style = fc.constantFrom(
	"\x1b[31m",
	"\x1b[38;5;240m",
	"\x1b[38;2;1;2;3m",
	"\x1b[39m",
	"\x1b[1m",
	"\x1b[2m",
	"\x1b[22m",
	"\x1b[4:3m",
	"\x1b[24m",
	"\x1b[7m",
	"\x1b[27m",
	"\x1b[9;53m",
	"\x1b[48;5;20m",
	"\x1b[49m",
	"\x1b[0m",
	"\x1b[m",
);
const text = fc.constantFrom("a", "word", " ", "   ", " two words ", "漢", "e\u0301");
const row = fc.array(fc.oneof(style, text), { maxLength: 20 }).map((parts) => parts.join(""));

/** Every cell with the style that it is seen in. */
function looks(written: string): string[] {
	const cells: string[] = [];
	let seen = plainStyle;
	for (const [part] of written.matchAll(/\x1b\[[0-9;:]*m|[^]/g)) {
		if (part.startsWith("\x1b")) seen = seen.after(part);
		else cells.push(`${part}${part === " " ? seen.lookOfSpaces : seen.look}`);
	}
	while (cells.at(-1) === " ") cells.pop();
	return cells;
}

test("whatever its styles, a row looks the same, is no longer than before, and ends without a style", () => {
	fc.assert(
		fc.property(row, (raw) => {
			const { text: written, end } = writeStyled(raw);
			expect(looks(written)).toEqual(looks(raw));
			expect(written.length + end.length).toBeLessThanOrEqual(raw.length + "\x1b[m".length);
			let last = plainStyle;
			for (const [sequence] of (written + end).matchAll(/\x1b\[[0-9;:]*m/g)) last = last.after(sequence);
			expect(last.look).toBe(plainStyle.look);
		}),
		{ numRuns: samples(2000) },
	);
});

test("sequences without an effect are not written, and all styles end with one short sequence", () => {
	const header = "\x1b[1ma\x1b[22m   \x1b[38;5;240m │ \x1b[39m\x1b[1mb\x1b[22m\x1b[0m";
	const { text: written, end } = writeStyled(header);
	expect(written + end).toBe("\x1b[1ma    \x1b[0;38;5;240m│ \x1b[0;1mb\x1b[m");
});

test("a row without styles at its end needs no sequence there", () => {
	expect(writeStyled("\x1b[31mred\x1b[39m and not\x1b[0m")).toEqual({
		text: "\x1b[31mred \x1b[mand not",
		end: "",
	});
});

/** Ripgrep's output is read record by record, wherever the pipe cuts it and however long a line is. */
import { describe, expect, test } from "bun:test";

import * as fc from "fast-check";

import { anyCharacter } from "../../../../test/support/any-character.ts";
import { limits } from "./limits.ts";
import { RecordReader, type RipgrepRecord } from "./records.ts";

function record(path: string, text: string, line: number): string {
	const data = {
		path: { text: path },
		lines: { text },
		line_number: line,
		absolute_offset: 0,
		submatches: [{ match: { text: "x" }, start: 0, end: 1 }],
	};
	return `${JSON.stringify({ type: "match", data })}\n`;
}

function read(text: string, sizes: readonly number[]): RipgrepRecord[] {
	const reader = new RecordReader();
	const bytes = Buffer.from(text);
	const parsed: RipgrepRecord[] = [];
	let at = 0;
	for (let count = 0; at < bytes.length; count++) {
		const size = sizes[count % sizes.length] ?? 1;
		// One buffer that is overwritten, as some streams do.
		parsed.push(...reader.push(bytes.subarray(at, at + size)));
		at += size;
	}
	return parsed;
}

test("the records are the same, wherever the output is cut", () => {
	const texts = fc.array(fc.string({ unit: anyCharacter, maxLength: 20 }), { minLength: 1, maxLength: 5 });
	fc.assert(
		fc.property(texts, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (lines, sizes) => {
			const well = lines.map((line) => line.toWellFormed());
			const printed = well.map((line, index) => record(`p${index}`, line, index + 1)).join("");
			const parsed = read(printed, sizes);
			expect(
				parsed.map((one) => ("data" in one && "lines" in one.data ? one.data.lines : undefined)),
			).toEqual(well.map((text) => ({ text })));
		}),
	);
});

describe("a record that is too long", () => {
	const forged = '","line_number":99,"x":"';

	test("keeps its file, its number and its start, for any text", () => {
		const text = `${forged}\u0001é`.repeat(limits.recordBytes / 16);
		const [long, next] = read(record('a"\\/é', text, 7) + record("b", "x", 8), [65_536]);
		expect(long).toMatchObject({
			type: "match",
			data: { path: { text: 'a"\\/é' }, line_number: 7, submatches: [] },
		});
		const start = long?.type === "match" && "text" in long.data.lines ? long.data.lines.text : "";
		expect(start.length).toBeGreaterThan(limits.recordHeadBytes / 4);
		expect(text.startsWith(start)).toBe(true);
		expect(next).toMatchObject({ type: "match", data: { path: { text: "b" }, line_number: 8 } });
	});

	test("of bytes is handled too", () => {
		const bytes = Buffer.alloc(limits.recordBytes, 0xff).toString("base64");
		const data = { path: { text: "a" }, lines: { bytes }, line_number: 3, submatches: [] };
		const [long] = read(`${JSON.stringify({ type: "match", data })}\n`, [10_000]);
		expect(long).toMatchObject({
			type: "match",
			data: { line_number: 3, lines: { bytes: expect.stringMatching(/^\/+$/) } },
		});
	});

	test("has a readable start, wherever it is cut", () => {
		for (let shift = 0; shift < 14; shift++) {
			const text = "x".repeat(shift) + '\u0001é"\\'.repeat(limits.recordBytes / 8);
			const [long] = read(record("a", text, 1), [99_991]);
			const start = long?.type === "match" && "text" in long.data.lines ? long.data.lines.text : "none";
			expect(text.startsWith(start)).toBe(true);
		}
	});
});

test("output that is not a record is skipped", () => {
	expect(read(`torn{\n${record("a", "x", 1)}`, [5])).toHaveLength(1);
});

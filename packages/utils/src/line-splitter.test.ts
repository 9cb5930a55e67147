/** Lines are reassembled unchanged, whatever the chunks. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { LineSplitter, type Line } from "./line-splitter.ts";

const encoder = new TextEncoder();

function split(chunks: readonly (string | Uint8Array)[], limit = 1000): (string | undefined)[] {
	const splitter = new LineSplitter(limit);
	const lines: Line[] = [];
	for (const chunk of chunks)
		lines.push(...splitter.push(typeof chunk === "string" ? encoder.encode(chunk) : chunk));
	lines.push(...splitter.end());
	return lines.map((line) => line && new TextDecoder().decode(line));
}

describe("a line", () => {
	const cases: [promise: string, chunks: string[], lines: string[]][] = [
		["ends at a newline", ["a\nb\n"], ["a", "b"]],
		["may be the last without one", ["a\nb"], ["a", "b"]],
		["may arrive in chunks", ["a", "b", "c\nd", "\n"], ["abc", "d"]],
		["loses the carriage return before its newline, and no other", ["a\r\n\rb\rc\n"], ["a", "\rb\rc"]],
		[
			"does not end at what only looks like a line end",
			["a\u2028b\u2029c\u0085d\n"],
			["a\u2028b\u2029c\u0085d"],
		],
		["may be empty", ["\n\n"], ["", ""]],
		["is missing without input", ["", ""], []],
	];
	test.each(cases)("%s", (_, chunks, lines) => {
		expect(split(chunks)).toEqual(lines);
	});
});

test("property: the lines are the same whatever the chunks, also inside a character", () => {
	const piece = fc.constantFrom("a", "\n", "\r\n", "é", "😀", "\u2028", '{"x":1}');
	fc.assert(
		fc.property(fc.array(piece), fc.array(fc.integer({ min: 0, max: 6 })), (pieces, sizes) => {
			const bytes = encoder.encode(pieces.join(""));
			const chunks: Uint8Array[] = [];
			let rest = bytes;
			for (const size of sizes) {
				chunks.push(rest.subarray(0, size));
				rest = rest.subarray(size);
			}
			expect(split([...chunks, rest])).toEqual(split([bytes]));
		}),
	);
});

describe("a line that is too long", () => {
	test("is reported once, and affects nothing else", () => {
		expect(split(["ok\n", "12345", "678901", "23\nnext\n"], 10)).toEqual(["ok", undefined, "next"]);
	});

	test("is reported also if it never ends", () => {
		expect(split(["12345678901"], 10)).toEqual([undefined]);
	});

	test("is one byte over the limit", () => {
		expect(split(["1234567890\n", "12345678901\n"], 10)).toEqual(["1234567890", undefined]);
	});
});

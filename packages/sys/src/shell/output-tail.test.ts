/** The tail of an output is its true end, however it arrived, and the counts are those of the whole. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { stripControls } from "@tau/utils";

import { samples } from "../../../../test/support/depth.ts";
import { limits } from "../limits.ts";
import { OutputTail } from "./output-tail.ts";

const encoder = new TextEncoder();

function tailOf(text: string | Uint8Array, limit?: number): OutputTail {
	const tail = new OutputTail(limit);
	tail.push(typeof text === "string" ? encoder.encode(text) : text);
	return tail;
}

/** Text with many line ends and characters of one to four bytes. */
const prose = fc
	.array(fc.constantFrom("a", "b", "\n", "\r\n", "é", "€", "😀", "\ufeff", "\0", "long word "), {
		maxLength: 60,
	})
	.map((parts) => parts.join(""));

/** Bytes that are often invalid UTF-8. */
const rubbish = fc.uint8Array({ maxLength: 60 });

/** Where to cut, and after which pieces the tail is read. */
const cuts = fc.array(fc.record({ size: fc.integer({ min: 0, max: 9 }), look: fc.boolean() }), {
	maxLength: 40,
});

function pushInPieces(tail: OutputTail, bytes: Uint8Array, pieces: { size: number; look: boolean }[]): void {
	// The reader of a pipe reuses its buffer, so pushed bytes are overwritten at once.
	const buffer = new Uint8Array(bytes.length);
	let rest = bytes;
	for (const { size, look } of [...pieces, { size: bytes.length, look: false }]) {
		const piece = buffer.subarray(0, Math.min(size, rest.length));
		piece.set(rest.subarray(0, piece.length));
		tail.push(piece);
		piece.fill(0x3f);
		rest = rest.subarray(piece.length);
		if (look) tail.text();
	}
}

describe("property: for every output", () => {
	test("the chunking, and reading in between, change nothing", () => {
		fc.assert(
			fc.property(
				fc.oneof(
					prose.map((text) => encoder.encode(text)),
					rubbish,
				),
				cuts,
				fc.integer({ min: 1, max: 80 }),
				(bytes, pieces, limit) => {
					const tail = new OutputTail(limit);
					pushInPieces(tail, bytes, pieces);
					const whole = tailOf(bytes, limit);
					expect(tail.text()).toBe(whole.text());
					expect(tail.totalBytes).toBe(bytes.length);
					expect(tail.totalLines).toBe(whole.totalLines);
					expect(tail.truncated).toBe(bytes.length > limit);
				},
			),
			{ numRuns: samples(1000) },
		);
	});

	test("lines are counted as an editor counts them", () => {
		fc.assert(
			fc.property(prose, (text) => {
				const lines = text.split("\n");
				if (lines.at(-1) === "") lines.pop();
				expect(tailOf(text, 8).totalLines).toBe(lines.length);
			}),
		);
	});

	test("the text is the end of the output, within the limit, cut at a line or else at a character, and not much shorter", () => {
		fc.assert(
			fc.property(prose, fc.integer({ min: 1, max: 80 }), (text, limit) => {
				const tail = tailOf(text, limit).text();
				const bytes = encoder.encode(tail).length;
				expect(text.endsWith(tail)).toBe(true);
				expect(bytes).toBeLessThanOrEqual(limit);
				if (encoder.encode(text).length <= limit) {
					expect(tail).toBe(text);
					return;
				}
				const before = text.slice(0, text.length - tail.length);
				// A character has up to four bytes, so a cut between two of them costs three at most.
				const least = before.endsWith("\n") ? limit / 2 - 1 : limit - 3;
				expect(bytes).toBeGreaterThanOrEqual(least);
				if (!before.endsWith("\n")) expect(tail.slice(0, limit / 8 - 1)).not.toContain("\n");
			}),
			{ numRuns: samples(1000) },
		);
	});

	test("a line that is cut inside a terminal sequence shows nothing of the sequence, and everything after it", () => {
		const piece = fc.constantFrom(
			..."a b © \x1b \x1b[31m \x1b[1;4 \u009b1m \u009c \u009d \u0085 \x1b]0;title\x07 \x1bPq \x1b\\ \x18 \0".split(
				" ",
			),
		);
		const line = fc.array(piece, { maxLength: 30 }).map((pieces) => encoder.encode(pieces.join("")));
		fc.assert(
			fc.property(line, cuts, fc.integer({ min: 1, max: 40 }), (bytes, pieces, limit) => {
				const tail = new OutputTail(limit);
				pushInPieces(tail, bytes, pieces);
				const whole = stripControls(new TextDecoder().decode(bytes));
				const visible = stripControls(tail.text());
				expect(whole.endsWith(visible)).toBe(true);
				// Every visible character that is completely in the kept end is present.
				const before = stripControls(
					new TextDecoder().decode(bytes.subarray(0, Math.max(0, bytes.length - limit))),
				);
				expect(visible.length).toBeGreaterThanOrEqual(whole.length - before.length - 1);
			}),
			{ numRuns: samples(2000) },
		);
	});

	test("invalid UTF-8 costs no more than its invalid bytes", () => {
		fc.assert(
			fc.property(rubbish, (bytes) => {
				expect(tailOf(bytes, 100).text()).toBe(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
			}),
		);
	});
});

test("an empty output has no text and no line", () => {
	const tail = new OutputTail();
	tail.push(new Uint8Array());
	expect([tail.text(), tail.totalBytes, tail.totalLines, tail.truncated]).toEqual(["", 0, 0, false]);
});

test("of one huge line and a short one, both are visible", () => {
	const tail = tailOf(`${"x".repeat(1000)}\nok\n`, 100).text();
	expect(tail).toBe(`${"x".repeat(96)}\nok\n`);
});

test("a line that started before the limit is left out when little is lost", () => {
	expect(tailOf("first line\nsecond line\nthird line\n", 28).text()).toBe("second line\nthird line\n");
});

test("a carriage return starts over, also inside an unterminated sequence", () => {
	expect(tailOf(`\x1b]0;${"t".repeat(20)}\rshown`, 10).text()).toBe("\rshown");
	const tail = tailOf(`\x1b]0;${"t".repeat(20)}`, 10);
	tail.push(encoder.encode(`title\r${"x".repeat(20)}`));
	expect(tail.text()).toBe("x".repeat(10));
});

test("of bytes that are not text, no more is lost than the length of a character", () => {
	expect(tailOf(new Uint8Array(50).fill(0x80), 10).text()).toBe("\ufffd".repeat(7));
});

test("the default limit is the one in the model's prompt", () => {
	const tail = tailOf("x".repeat(limits.outputTailBytes + 1));
	expect(tail.text()).toHaveLength(limits.outputTailBytes);
	expect(tail.truncated).toBe(true);
});

/** Lines are the same whatever the chunks, and one that is too long costs no memory and no other line. */
import { expect, test } from "bun:test";
import * as fc from "fast-check";

import { ByteLines, type LinePart } from "./byte-lines.ts";

function read(chunks: readonly Uint8Array[], limit: number): string[] {
	const lines = new ByteLines(limit);
	const out: string[] = [];
	let excess = "";
	const take = (parts: Iterable<LinePart>): void => {
		for (const part of parts) {
			if (part.kind === "line") out.push(part.bytes.toString("latin1"));
			else if (part.kind === "excess") excess += part.bytes.toString("latin1");
			else {
				out.push(`long:${excess}`);
				excess = "";
			}
		}
	};
	for (const chunk of chunks) {
		// A stream may use its buffer again.
		const reused = Buffer.from(chunk);
		take(lines.push(reused));
		reused.fill(0);
	}
	take(lines.end());
	return out;
}

test("property: chunks do not matter, and the bound decides which lines are kept", () => {
	const line = fc.string({ unit: fc.constantFrom("a", "b", "\r", "é"), maxLength: 12 });
	fc.assert(
		fc.property(fc.array(line), fc.array(fc.nat(7)), fc.integer({ min: 1, max: 8 }), (texts, cuts, limit) => {
			const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(""), "latin1");
			const chunks: Uint8Array[] = [];
			let at = 0;
			for (const cut of cuts) chunks.push(bytes.subarray(at, (at += cut)));
			chunks.push(bytes.subarray(at));
			const expected = texts.map((text) => (text.length > limit ? `long:${text}` : text));
			expect(read(chunks, limit)).toEqual(expected);
		}),
	);
});

test("the last line needs no newline", () => {
	expect(read([Buffer.from("one\ntw"), Buffer.from("o")], 10)).toEqual(["one", "two"]);
	expect(read([Buffer.from("one\nlonger"), Buffer.from(" still")], 4)).toEqual(["one", "long:longer still"]);
	expect(read([Buffer.from("one\n")], 10)).toEqual(["one"]);
});

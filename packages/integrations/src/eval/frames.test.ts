/** Frames and text are separated, however the streams cut them. */
import { expect, test } from "bun:test";

import * as fc from "fast-check";

import { FrameLines, MarkedText } from "./frames.ts";

function pieces(text: string, sizes: readonly number[]): Buffer[] {
	const bytes = Buffer.from(text);
	const out: Buffer[] = [];
	for (let at = 0, turn = 0; at < bytes.length; turn++) {
		const size = sizes[turn % sizes.length] ?? 1;
		out.push(Buffer.from(bytes.subarray(at, at + size)));
		at += size;
	}
	return out;
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 });

test("property: a mark is found in any pieces, and nothing else is lost", () => {
	const mark = "\0tau:abc\x01";
	fc.assert(
		fc.property(
			fc.array(fc.constantFrom("text", "\0", "\0tau:", "\0tau:abc", "é"), { maxLength: 20 }),
			sizes,
			(parts, by) => {
				const [before, after] = [parts.join(""), parts.toReversed().join("") + "."];
				const seen: Buffer[] = [];
				let at: number | undefined;
				const length = (): number => Buffer.concat(seen).length;
				const reader = new MarkedText(
					mark,
					(text) => void seen.push(Buffer.from(text)),
					() => (at ??= length()),
				);
				for (const piece of pieces(`${before}${mark}${after}`, by)) reader.push(piece);
				expect(Buffer.concat(seen).toString()).toBe(before + after);
				expect(at).toBe(Buffer.byteLength(before));
			},
		),
	);
});

test("property: frames arrive whole and in order, and lines that are none are text", () => {
	const line = fc.oneof(
		fc.record({ type: fc.constant("image"), data: fc.string() }).map((frame) => JSON.stringify(frame)),
		fc.constantFrom("plain", "{broken", '{"type":"other"}'),
	);
	fc.assert(
		fc.property(fc.array(line, { maxLength: 20 }), sizes, (lines, by) => {
			const [frames, texts]: [unknown[], string[]] = [[], []];
			const reader = new FrameLines(
				(frame) => frames.push(frame),
				(text) => texts.push(Buffer.from(text).toString()),
			);
			for (const piece of pieces(lines.map((each) => `${each}\n`).join(""), by)) reader.push(piece);
			const isFrame = (each: string): boolean => each.startsWith('{"type":"image"');
			expect(frames).toEqual(lines.filter(isFrame).map((each): unknown => JSON.parse(each)));
			expect(texts).toEqual(lines.filter((each) => !isFrame(each)).map((each) => `${each}\n`));
		}),
	);
});

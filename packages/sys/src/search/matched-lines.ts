/** Converts ripgrep's records to lines for display: split, cut, with the ranges of the match in characters. */
import { cutUnits } from "@tau/utils";

import { limits } from "./limits.ts";
import type { RipgrepText } from "./records.ts";
import type { MatchedLine, Range } from "./types.ts";

interface MatchData {
	lines: RipgrepText;
	line_number: number | null;
	submatches: readonly { start: number; end: number }[];
}

export function decodeText(text: RipgrepText): string {
	return "text" in text ? text.text : Buffer.from(text.bytes, "base64").toString("utf8");
}

export function foundLines(match: MatchData, maxChars: number): MatchedLine[] {
	const text = decodeText(match.lines);
	const ranges = rangesIn(match, text);
	const result: MatchedLine[] = [];
	let start = 0;
	for (const line of text.replace(/\r?\n$/, "").split("\n", limits.matchLines)) {
		const visible = line.replace(/\r$/, "");
		const own = within(ranges, start, start + visible.length);
		result.push({
			number: (match.line_number ?? 1) + result.length,
			...cutAround(visible, own, maxChars),
		});
		start += line.length + 1;
	}
	return result;
}

/** The parts of the ranges that are in one line, counted from its start. */
function within(ranges: readonly Range[], start: number, end: number): Range[] {
	return ranges
		.filter(([from, to]) => from <= end && to > start)
		.map(([from, to]) => [Math.max(from, start) - start, Math.min(to, end) - start]);
}

/** Ripgrep counts in bytes. */
function rangesIn({ lines, submatches }: MatchData, text: string): Range[] {
	const few = submatches.slice(0, limits.ranges);
	if ("text" in lines && !/[^\0-\x7f]/.test(text)) return few.map(({ start, end }) => [start, end]);
	const bytes = "text" in lines ? Buffer.from(text) : Buffer.from(lines.bytes, "base64");
	let atByte = 0;
	let atChar = 0;
	const charOf = (byte: number): number => {
		atChar += bytes.toString("utf8", atByte, byte).length;
		atByte = byte;
		return atChar;
	};
	return few.map(({ start, end }) => [charOf(start), charOf(end)]);
}

/** The text before a match is less informative than the text after it. */
const shareBefore = 0.25;

function cutAround(
	text: string,
	ranges: readonly Range[],
	max: number,
): Pick<MatchedLine, "text" | "ranges"> {
	if (text.length <= max) return { text, ranges };
	const [first] = ranges;
	const preferredStart = first && first[1] > max ? first[0] - Math.floor(max * shareBefore) : 0;
	// As much as fits is shown, also when the match is at the end; half a surrogate pair is left out.
	const start = cutUnits(text, Math.max(0, Math.min(preferredStart, text.length - max))).length;
	const excerpt = cutUnits(text.slice(start), max);
	const before = start > 0 ? "…" : "";
	const after = start + excerpt.length < text.length ? "…" : "";
	const shift = before.length - start;
	const visible = ranges
		.filter(([from, to]) => to > start && from < start + excerpt.length)
		.map(([from, to]): Range => [
			Math.max(from, start) + shift,
			Math.min(to, start + excerpt.length) + shift,
		]);
	return { text: before + excerpt + after, ranges: visible };
}

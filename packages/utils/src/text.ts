/** Cuts text to a size without splitting graphemes. */
import { stripControls } from "./control-strip.ts";
import { textLimits } from "./limits.ts";

let shared: Intl.Segmenter | undefined;

function graphemes(text: string): Iterable<Intl.SegmentData> {
	// The segmenter is created on first use: building it costs more than all imports of this package together.
	shared ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
	return shared.segment(text);
}

/** At most `max` graphemes, including the ellipsis when the text was cut. Costs O(max), not O(text). */
export function cutGraphemes(text: string, max: number, ellipsis = "…"): string {
	if (text.length <= max) return text;
	if (max <= 0) return "";
	const room = max - countGraphemes(ellipsis);
	if (room < 0) return cutGraphemes(ellipsis, max, "");
	// Plain ASCII (without CR, which may join with LF) has one grapheme per character.
	if (/^[ -~\n\t]*$/.test(text.slice(0, max + 1))) return text.slice(0, room) + ellipsis;

	const part = cutUnits(text, (max + 1) * textLimits.graphemeUnits);
	let count = 0;
	let cut = 0;
	for (const { index } of graphemes(part)) {
		if (count === room) cut = index;
		if (count === max) return text.slice(0, cut) + ellipsis;
		count++;
	}
	if (part.length === text.length) return text;
	return part.slice(0, count <= room ? part.length : cut) + ellipsis;
}

/** At most `max` graphemes: the start and the end of the text, with the marker in place of its middle. */
export function cutMiddle(text: string, max: number, marker = "…"): string {
	if (text.length <= max || cutGraphemes(text, max, "").length === text.length) return text;
	const room = max - countGraphemes(marker);
	if (room <= 0) return cutGraphemes(marker, max, "");
	const tail = Math.floor(room / 2);
	return cutGraphemes(text, room - tail, "") + marker + lastGraphemes(text, tail);
}

function lastGraphemes(text: string, max: number): string {
	if (max <= 0) return "";
	let start = Math.max(0, text.length - (max + 1) * textLimits.graphemeUnits);
	if (start > 0 && isLow(text.charCodeAt(start))) start++;
	const part = text.slice(start);
	const starts = Array.from(graphemes(part), (segment) => segment.index);
	return part.slice(starts[Math.max(0, starts.length - max)] ?? 0);
}

function countGraphemes(text: string): number {
	if (text.length <= 1) return text.length;
	let count = 0;
	for (const _grapheme of graphemes(text)) count++;
	return count;
}

/** One clean line of at most `max` graphemes: no controls, each run of white space is one space. */
export function oneLine(text: string, max: number): string {
	const start = text.trimStart();
	const part = cutUnits(start, (max + 1) * textLimits.oneLineUnits);
	const line = stripControls(part, { newline: false, tab: false }).replace(/\s+/g, " ").trim();
	if (part.length === start.length || max <= 0) return cutGraphemes(line, max);
	return `${cutGraphemes(line, max - 1, "")}…`;
}

/** At most `max` UTF-16 units, never half a surrogate pair. */
export function cutUnits(text: string, max: number): string {
	if (text.length <= max) return text;
	return text.slice(0, isLow(text.charCodeAt(max)) && isHigh(text.charCodeAt(max - 1)) ? max - 1 : max);
}

/** The longest start of the text whose UTF-8 form fits into `maxBytes`. */
export function cutUtf8(text: string, maxBytes: number): string {
	if (text.length * 3 <= maxBytes) return text;
	const room = Math.max(0, maxBytes);
	// A unit takes at least one byte, so units after this cannot fit.
	const { read } = new TextEncoder().encodeInto(text.slice(0, room), new Uint8Array(room));
	return text.slice(0, read);
}

/** A view of at most `max` bytes from one end, cut between code points; invalid UTF-8 is cut at the limit. */
export function cutUtf8Bytes(bytes: Uint8Array, max: number, from: "head" | "tail"): Uint8Array {
	if (bytes.length <= max) return bytes;
	const room = Math.max(0, max);
	const edge = from === "head" ? room : bytes.length - room;
	const towards = from === "head" ? -1 : 1;
	for (let step = 0; step <= 3; step++) {
		const at = edge + step * towards;
		if (at < 0 || at > bytes.length) break;
		if (at === bytes.length || ((bytes[at] ?? 0) & 0xc0) !== 0x80) {
			return from === "head" ? bytes.subarray(0, at) : bytes.subarray(at);
		}
	}
	return from === "head" ? bytes.subarray(0, edge) : bytes.subarray(edge);
}

function isHigh(unit: number): boolean {
	return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
	return unit >= 0xdc00 && unit <= 0xdfff;
}

/** For one line of a text, in which the marks of Markdown say nothing. */
export function withoutMarkdown(markdown: string): string {
	return markdown
		.replaceAll(/^#+\s+|\*\*|`+/gm, "")
		.replaceAll(/\s*\n\s*(?:[-*]|\d+\.)\s+/g, " · ")
		.trim();
}

/** The marks of a block of Markdown that no line of the text can end. */
export function fenceFor(text: string): string {
	const longest = text.matchAll(/`{3,}/g).reduce((most, [run]) => Math.max(most, run.length), 2);
	return "`".repeat(longest + 1);
}

/** The text as such a block. */
export function fenced(text: string, language = ""): string {
	const fence = fenceFor(text);
	return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

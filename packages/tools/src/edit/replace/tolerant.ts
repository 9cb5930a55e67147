/** Finds the only position whose lines differ from the text just in whitespace or look-alike characters. */
import { takeShown } from "../../files/hidden-characters.ts";
import type { Splice } from "../../files/line-ends.ts";
import type { LineText } from "../../files/line-text.ts";
import { limits } from "../limits.ts";
import { indentStyleOf } from "./indent-style.ts";
import { reindent } from "./indent.ts";
import { tolerances, type Tolerance } from "./tolerance.ts";

export interface TolerantMatch {
	/** The change, when there is one match only and the indentation of the new text is clear. */
	splice?: Splice;
	note: string;
	refused?: "several" | "indentation";
	/** The first lines of the matches, from 1. */
	lines: number[];
}

/** Works on whole lines; blank lines around both texts do not count. */
export function tolerantMatch(file: LineText, oldText: string, newText: string): TolerantMatch | undefined {
	const { body, sought } = withoutBlanks(linesOf(oldText), linesOf(newText));
	if (body.every((line) => line.trim() === "")) return undefined;
	for (const tolerance of tolerances) {
		const starts = offsetsOf(file, body, tolerance);
		if (starts.length === 0) continue;
		const lines = starts.map((start) => start + 1);
		if (starts.length > 1) return { note: tolerance.note, refused: "several", lines };
		const splice = spliceAt(file, starts[0] ?? 0, body, sought);
		if (!splice) return { note: tolerance.note, refused: "indentation", lines };
		return { splice, note: tolerance.note, lines };
	}
	return undefined;
}

/** False only if every edit of this text is refused because the file does not contain it, whatever the new text is. */
export function mayOccur(file: LineText, oldText: string): boolean {
	if (file.text.includes(oldText) || file.text.includes(takeShown(oldText))) return true;
	return mayOccurAsLines(file, linesOf(oldText));
}

/** The same for whole lines: the loosest tolerance finds what any other finds, and surrounding blank lines are ignored. */
export function mayOccurAsLines(file: LineText, lines: readonly string[]): boolean {
	const body = lines.slice(blankHead(lines), lines.findLastIndex((line) => line.trim() !== "") + 1);
	const loosest = tolerances.at(-1);
	if (body.length === 0 || loosest === undefined) return true;
	return [body, body.map((line) => takeShown(line))].some(
		(given) => offsetsOf(file, given, loosest).length > 0,
	);
}

/** A trailing line feed ends the last line. */
function linesOf(text: string): string[] {
	return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** Blank lines around both the old and the new text are ignored; one that the new text lacks is removed. */
function withoutBlanks(
	sought: readonly string[],
	oldLines: readonly string[],
): { body: string[]; sought: string[] } {
	const both = (count: (lines: readonly string[]) => number) =>
		oldLines.length === 0 ? count(sought) : Math.min(count(sought), count(oldLines));
	const head = both(blankHead);
	const tail = both((lines) => blankHead(lines.toReversed()));
	return {
		body: sought.slice(head, sought.length - tail),
		sought: oldLines.slice(head, Math.max(head, oldLines.length - tail)),
	};
}

function blankHead(lines: readonly string[]): number {
	const first = lines.findIndex((line) => line.trim() !== "");
	return first < 0 ? lines.length : first;
}

/** The lines, from 0, at which the text starts. */
export function offsetsOf(file: LineText, sought: readonly string[], { same }: Tolerance): number[] {
	const oldLines = sought.map(same);
	const starts: number[] = [];
	const rarest = longest(oldLines);
	for (const line of linesLike(file, oldLines[rarest] ?? "", same)) {
		const start = line - rarest;
		if (start < 0 || start + oldLines.length > file.count) continue;
		if (oldLines.every((text, index) => same(file.line(start + index + 1)) === text)) starts.push(start);
	}
	return starts;
}

/** The longest line is the rarest, so few candidates have to be compared line by line. */
function longest(lines: readonly string[]): number {
	return lines.reduce((best, line, index) => (line.length > (lines[best]?.length ?? 0) ? index : best), 0);
}

function* linesLike(file: LineText, requested: string, same: Tolerance["same"]): Generator<number> {
	for (let line = 0; line < file.count; line++) if (same(file.line(line + 1)) === requested) yield line;
}

/** Lines that the new text does not change retain the bytes of the file. */
function spliceAt(
	file: LineText,
	start: number,
	sought: readonly string[],
	oldLines: readonly string[],
): Splice | undefined {
	const there = file.lines(start + 1, start + sought.length);
	let head = 0;
	while (head < Math.min(sought.length, oldLines.length) && sought[head] === oldLines[head]) head++;
	let tail = 0;
	while (
		tail < Math.min(sought.length, oldLines.length) - head &&
		sought[sought.length - 1 - tail] === oldLines[oldLines.length - 1 - tail]
	) {
		tail++;
	}
	const style = indentStyleOf(file.lines(1, limits.styleLines));
	const inner = reindent(sought, there, oldLines.slice(head, oldLines.length - tail), style);
	if (!inner) return undefined;
	const lines = [...there.slice(0, head), ...inner, ...there.slice(there.length - tail)];
	const end = start + sought.length;
	const from = file.start(start + 1);
	// The line feed of the last line stays, unless no line is left.
	const isClosed = end < file.count || file.hasFinalNewline;
	if (lines.length === 0) return { start: from, end: file.start(end + 1), text: "" };
	return { start: from, end: file.start(end + 1) - (isClosed ? 1 : 0), text: lines.join("\n") };
}

/** Formats the changes of a text as `diff -u` does, reading only the changed parts. */
import { cutUnits } from "@tau/utils";
import { editScript } from "@tau/utils/edit-script";
import { limits } from "./limits.ts";
import type { Splice } from "./line-ends.ts";
import type { LineText } from "./line-text.ts";
import { showHidden } from "./hidden-characters.ts";

/** Lines of the old text and their replacement in the new one, counted from 0, with ends excluded. */
export interface Region {
	oldStart: number;
	oldEnd: number;
	newStart: number;
	newEnd: number;
}

export interface TextDiff {
	/** Hunks with `@@` heads; empty when nothing changed. */
	diff: string;
	truncated: boolean;
	added: number;
	removed: number;
	/** The changes, as lines of the new text. */
	regions: Region[];
}

/** Returns the lines that splices of the old text have changed. */
export function regionsOf(before: LineText, after: LineText, splices: readonly Splice[]): Region[] {
	const regions: Region[] = [];
	let moved = 0;
	for (const { start, end, text } of splices) {
		const newEnd = start + moved + text.length;
		const region = {
			oldStart: before.lineAt(start) - 1,
			oldEnd: Math.min(before.lineAt(end), before.count),
			newStart: after.lineAt(start + moved) - 1,
			newEnd: Math.min(after.lineAt(newEnd), after.count),
		};
		moved += text.length - (end - start);
		const last = regions.at(-1);
		if (last && (region.oldStart < last.oldEnd || region.newStart < last.newEnd)) {
			last.oldEnd = region.oldEnd;
			last.newEnd = region.newEnd;
		} else regions.push(region);
	}
	return regions;
}

/** The whole of both texts as one region. */
export function everything(before: LineText, after: LineText): Region[] {
	return [{ oldStart: 0, oldEnd: before.count, newStart: 0, newEnd: after.count }];
}

export function unifiedDiff(before: LineText, after: LineText, places: readonly Region[]): TextDiff {
	const regions = places.flatMap((region) => {
		const trimmed = trim(before, after, region);
		return trimmed ? refine(before, after, trimmed) : [];
	});
	const sum = (count: (region: Region) => number) => regions.reduce((all, region) => all + count(region), 0);
	const lines: string[] = [];
	for (const hunk of hunks(regions)) {
		if (lines.length > limits.diffLines) break;
		lines.push(...hunkLines(before, after, hunk, limits.diffLines + 1));
	}
	return {
		diff: lines.slice(0, limits.diffLines).join("\n"),
		truncated: lines.length > limits.diffLines,
		added: sum(({ newStart, newEnd }) => newEnd - newStart),
		removed: sum(({ oldStart, oldEnd }) => oldEnd - oldStart),
		regions,
	};
}

/** A line with its end, so that a last line that is not closed differs from one that is. */
function whole(text: LineText, index: number): string {
	return text.text.slice(text.start(index + 1), text.start(index + 2));
}

function trim(before: LineText, after: LineText, region: Region): Region | undefined {
	let { oldStart, oldEnd, newStart, newEnd } = region;
	while (oldStart < oldEnd && newStart < newEnd && whole(before, oldStart) === whole(after, newStart)) {
		oldStart++;
		newStart++;
	}
	while (oldStart < oldEnd && newStart < newEnd && whole(before, oldEnd - 1) === whole(after, newEnd - 1)) {
		oldEnd--;
		newEnd--;
	}
	return oldStart === oldEnd && newStart === newEnd ? undefined : { oldStart, oldEnd, newStart, newEnd };
}

/** Finds the lines inside that stayed; what differs too much stays one region. */
function refine(before: LineText, after: LineText, region: Region): Region[] {
	const { oldStart, oldEnd, newStart, newEnd } = region;
	if (oldEnd - oldStart < 2 || newEnd - newStart < 2) return [region];
	const lines = (text: LineText, start: number, end: number) =>
		Array.from({ length: end - start }, (_, index) => whole(text, start + index));
	const parts = editScript(lines(before, oldStart, oldEnd), lines(after, newStart, newEnd), limits.diffEdits);
	return parts
		.filter(({ isSame }) => !isSame)
		.map((part) => ({
			oldStart: oldStart + part.before[0],
			oldEnd: oldStart + part.before[1],
			newStart: newStart + part.after[0],
			newEnd: newStart + part.after[1],
		}));
}

/** Changes whose contexts touch are shown together. */
function hunks(regions: readonly Region[]): Region[][] {
	const out: Region[][] = [];
	for (const region of regions) {
		const last = out.at(-1)?.at(-1);
		if (last && region.oldStart - last.oldEnd <= 2 * limits.diffContext) out.at(-1)?.push(region);
		else out.push([region]);
	}
	return out;
}

/** At least so many lines, or all: what nobody is shown is not made. */
function hunkLines(before: LineText, after: LineText, hunk: readonly Region[], least: number): string[] {
	const [first, last] = [hunk[0], hunk.at(-1)];
	if (!first || !last) return [];
	const oldStart = Math.max(0, first.oldStart - limits.diffContext);
	const oldEnd = Math.min(before.count, last.oldEnd + limits.diffContext);
	const newStart = first.newStart - (first.oldStart - oldStart);
	const newEnd = last.newEnd + (oldEnd - last.oldEnd);
	const body: string[] = [];
	let at = oldStart;
	const isShort = (): boolean => body.length < least;
	for (const region of hunk) {
		for (; at < region.oldStart && isShort(); at++) body.push(...shown(" ", before, at));
		for (; at < region.oldEnd && isShort(); at++) body.push(...shown("-", before, at));
		for (let now = region.newStart; now < region.newEnd && isShort(); now++)
			body.push(...shown("+", after, now));
	}
	for (; at < oldEnd && isShort(); at++) body.push(...shown(" ", before, at));
	return [`@@ -${range(oldStart, oldEnd)} +${range(newStart, newEnd)} @@`, ...body];
}

function range(start: number, end: number): string {
	const count = end - start;
	return `${count === 0 ? start : start + 1}${count === 1 ? "" : `,${count}`}`;
}

function shown(sign: string, text: LineText, index: number): string[] {
	const line = text.line(index + 1);
	const cut = cutUnits(line, limits.diffLineChars);
	const row = sign + showHidden(cut) + (cut.length < line.length ? "…" : "");
	return whole(text, index).endsWith("\n") ? [row] : [row, "\\ No newline at end of file"];
}

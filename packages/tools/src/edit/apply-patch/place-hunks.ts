/** Finds where the hunks of a patch belong in a file, and refuses where that is not certain. */
import type { LineText } from "../../files/line-text.ts";
import { limits } from "../limits.ts";
import type { LineChange } from "../line-splices.ts";
import { refuse, type PlanError } from "../plan.ts";
import { indentStyleOf } from "../replace/indent-style.ts";
import { reindent } from "../replace/indent.ts";
import { describeNearest } from "../replace/nearest.ts";
import { tolerances, type Tolerance } from "../replace/tolerance.ts";
import { offsetsOf } from "../replace/tolerant.ts";
import type { Hunk, HunkLine } from "./parse.ts";
import { hiddenIn, takeShown, takenNote } from "../../files/hidden-characters.ts";

export type PlacedHunks = { ok: true; changes: LineChange[]; notes: string[] } | PlanError;

export async function placeHunks(
	file: LineText,
	shown: string,
	hunks: readonly Hunk[],
): Promise<PlacedHunks> {
	const changes: LineChange[] = [];
	const taken: MatchedLines[] = [];
	const notes = new Set<string>();
	for (const given of hunks) {
		const { hunk, found, isShown } = findLines(file, given, taken);
		if (!found.ok) return refuse(await explain(file, shown, given, found));
		if (isShown) notes.add(takenNote);
		taken.push({ start: found.start, end: found.start + found.sought.length });
		if (found.tolerance.note !== "") notes.add(found.tolerance.note);
		const made = changesOf(file, hunk, found);
		if (!made) {
			return refuse(
				`The hunk in line ${hunk.line} of the patch matches ${shown} at line ${found.start + 1}, but with other ` +
					"indentation: copy the lines as they are in the file. Nothing was changed.",
			);
		}
		changes.push(...made);
	}
	return {
		ok: true,
		changes: changes.toSorted((a, b) => a.start - b.start || a.end - b.end),
		notes: [...notes],
	};
}

/** Lines that an earlier hunk covers, counted from 0, with the end excluded. */
interface MatchedLines {
	start: number;
	end: number;
}

type HunkMatch =
	| { ok: true; start: number; sought: string[]; tolerance: Tolerance }
	| { ok: false; why: "header"; header: string }
	| { ok: false; why: "absent" | "end" }
	| { ok: false; why: "several"; lines: number[] };

/** A hunk that does not match as given may have been copied from the output of `read`. */
function findLines(
	file: LineText,
	hunk: Hunk,
	taken: readonly MatchedLines[],
): { hunk: Hunk; found: HunkMatch; isShown: boolean } {
	const hunkMatch = findTolerantly(file, hunk, taken);
	const meant = hunkMatch.ok || hunkMatch.why !== "absent" ? undefined : takenHunk(hunk);
	const again = meant && findTolerantly(file, meant, taken);
	if (!meant || !again?.ok) return { hunk, found: hunkMatch, isShown: false };
	return { hunk: meant, found: again, isShown: true };
}

function takenHunk(hunk: Hunk): Hunk | undefined {
	const sought = soughtBy(hunk.lines).join("\n");
	const characters = hiddenIn(takeShown(sought));
	if (characters.size === 0 || takeShown(sought) === sought) return undefined;
	return {
		...hunk,
		lines: hunk.lines.map(({ sign, text }) => ({ sign, text: takeShown(text, characters) })),
	};
}

/** A last empty context line may represent the line feed at the end of the file, which is not a line. */
function findTolerantly(file: LineText, hunk: Hunk, taken: readonly MatchedLines[]): HunkMatch {
	const hunkMatch = findHunk(file, hunk, taken);
	const last = hunk.lines.at(-1);
	if (hunkMatch.ok || hunkMatch.why === "several" || last?.sign !== " " || last.text !== "") return hunkMatch;
	const shorter = findHunk(file, { ...hunk, lines: hunk.lines.slice(0, -1) }, taken);
	return shorter.ok ? shorter : hunkMatch;
}

const exactly: Tolerance = { note: "", same: (line) => line };

function findHunk(file: LineText, hunk: Hunk, taken: readonly MatchedLines[]): HunkMatch {
	const from = taken.at(-1)?.end ?? 0;
	const below = findHeaders(file, hunk.headers, from);
	if (typeof below === "string") return { ok: false, why: "header", header: below };
	const sought = soughtBy(hunk.lines);
	if (sought.length === 0) {
		const start = hunk.headers.length > 0 && !hunk.atEnd ? below + 1 : file.count;
		return { ok: true, start, sought, tolerance: exactly };
	}
	for (const tolerance of [exactly, ...tolerances]) {
		const all = offsetsOf(file, sought, tolerance).filter((start) =>
			isFree(taken, start, start + sought.length),
		);
		const starts = hunk.atEnd ? all.filter((start) => start + sought.length === file.count) : all;
		if (starts.length === 0) {
			if (all.length > 0) return { ok: false, why: "end" };
			continue;
		}
		return choose(starts, hunk, below, from, { sought, tolerance });
	}
	return { ok: false, why: "absent" };
}

/** With a header, the first match below it; without one, the only match below the last hunk or in the file. */
function choose(
	starts: readonly number[],
	{ headers }: Hunk,
	below: number,
	from: number,
	what: { sought: string[]; tolerance: Tolerance },
): HunkMatch {
	if (headers.length > 0) {
		const start = starts.find((offset) => offset >= below);
		return start === undefined ? { ok: false, why: "absent" } : { ok: true, start, ...what };
	}
	const next = starts.filter((offset) => offset >= from);
	const candidates = next.length > 0 ? next : starts;
	const [start, another] = candidates;
	if (start !== undefined && another === undefined) return { ok: true, start, ...what };
	return { ok: false, why: "several", lines: candidates.map((offset) => offset + 1) };
}

/** Returns the line, from 0, of the innermost header, or the header that was not found. */
function findHeaders(file: LineText, headers: readonly string[], from: number): number | string {
	let at = from;
	let line = from;
	for (const header of headers) {
		const found = findHeader(file, header, at) ?? findHeader(file, header, 0);
		if (found === undefined) return header;
		line = found;
		at = found + 1;
	}
	return line;
}

/** Matches the whole line, else the trimmed line, else a unique prefix. */
function findHeader(file: LineText, header: string, from: number): number | undefined {
	const bare = header.trim();
	let trimmed: number | undefined;
	const starting: number[] = [];
	for (let line = from; line < file.count; line++) {
		const text = file.line(line + 1);
		if (text === header) return line;
		const inner = text.trim();
		if (inner === bare) trimmed ??= line;
		else if (inner.startsWith(bare)) starting.push(line);
	}
	return trimmed ?? (starting.length === 1 ? starting[0] : undefined);
}

export function soughtBy(lines: readonly HunkLine[]): string[] {
	return lines.filter(({ sign }) => sign !== "+").map(({ text }) => text);
}

function isFree(taken: readonly MatchedLines[], start: number, end: number): boolean {
	return taken.every((other) => end <= other.start || start >= other.end);
}

/** Context lines retain the bytes of the file. */
function changesOf(
	file: LineText,
	hunk: Hunk,
	{ start, sought, tolerance }: Extract<HunkMatch, { ok: true }>,
): LineChange[] | undefined {
	const there = file.lines(start + 1, start + sought.length);
	const added = hunk.lines.filter(({ sign }) => sign === "+").map(({ text }) => text);
	const style = indentStyleOf(file.lines(1, limits.styleLines));
	const fitting = tolerance === exactly ? added : reindent(sought, there, added, style);
	if (!fitting) return undefined;
	const changes: LineChange[] = [];
	let [at, next] = [start, 0];
	let open: LineChange | undefined;
	for (const { sign } of hunk.lines) {
		if (sign === " ") {
			at++;
			open = undefined;
			continue;
		}
		if (!open) changes.push((open = { start: at, end: at, lines: [] }));
		if (sign === "-") open.end = ++at;
		else open.lines = [...open.lines, fitting[next++] ?? ""];
	}
	return changes;
}

async function explain(
	file: LineText,
	shown: string,
	hunk: Hunk,
	found: Extract<HunkMatch, { ok: false }>,
): Promise<string> {
	const where = `The hunk in line ${hunk.line} of the patch`;
	const end = "Nothing was changed.";
	switch (found.why) {
		case "header":
			return `${where}: there is no line "${found.header}" in ${shown}. ${end}`;
		case "end":
			return `${where} is not at the end of ${shown}. ${end}`;
		case "several": {
			const lines = found.lines.slice(0, limits.namedPlaces).join(", ");
			return `${where} matches ${shown} at lines ${lines}: give more lines of context, or an @@ line above the change. ${end}`;
		}
		case "absent": {
			const near = describeNearest(file, soughtBy(hunk.lines).join("\n"), "the patch");
			const below = hunk.headers.length > 0 ? ` below "${hunk.headers.at(-1)}"` : "";
			return `${where} does not match ${shown}${below}. ${end}\n${near}`.trimEnd();
		}
	}
}

/** Formats the matches of a search: grouped by file, bounded, and with the number of omitted ones. */
import type { AgentToolResult } from "@tau/agent";
import type { SearchOutcome } from "@tau/sys";
import { oneLine, stripControls } from "@tau/utils";

import { ownPath, shownName } from "../find/shown-path.ts";
import { textResult } from "../tool/result.ts";
import { schemeOf } from "../tool/touch.ts";
import type { FileHits, Hits, HitLine } from "./hits.ts";
import { limits } from "./limits.ts";

type GroupedHits = Extract<SearchOutcome, { ok: true }>;

/** How the lines of a file are written. */
export interface HitForm {
	/** What stands before them. */
	head(path: string): string[];
	row(path: string, line: HitLine, text: string): string;
}

export const grouped: HitForm = {
	head: (path) => [path],
	row: (_, { number, isMatch }, text) => `${number}${isMatch ? ":" : "-"}${text}`,
};

export const flat: HitForm = {
	head: () => [],
	row: (path, { number, isMatch }, text) =>
		isMatch ? `${path}:${number}: ${text}` : `${path}-${number}- ${text}`,
};

export function showHits(hits: Hits, outcome: GroupedHits, cwd: string, form: HitForm): AgentToolResult {
	const { files } = hits;
	const perFile = fairShare(
		files.map((file) => file.matches),
		hits.limit,
	);
	const blocks: string[] = [];
	let shown = 0;
	let bytes = 0;
	for (const file of files) {
		const room = Math.min(perFile, hits.limit - shown);
		if (room === 0) break;
		const block = fileBlock(file, { most: room, context: hits.context, cwd, form });
		bytes += Buffer.byteLength(block);
		if (bytes > limits.bytes && shown > 0) break;
		blocks.push(block);
		shown += Math.min(file.matches, room);
	}
	const rest = notes(shown, blocks.length, outcome);
	return textResult([...blocks, ...rest].join("\n"), {
		matches: outcome.matches,
		files: outcome.files,
		shown,
		truncated: shown < outcome.matches || outcome.stopped !== undefined,
	});
}

/** How many matches of each file are shown, so that one file with very many does not hide the others. */
function fairShare(counts: readonly number[], limit: number): number {
	let share = limit;
	const sum = (most: number): number => counts.reduce((total, count) => total + Math.min(count, most), 0);
	while (share > 1 && sum(share - 1) >= limit) share--;
	return share;
}

interface BlockOptions {
	/** Matches that are shown. */
	most: number;
	context: number;
	cwd: string;
	form: HitForm;
}

function fileBlock(file: FileHits, { most, context, cwd, form }: BlockOptions): string {
	const path = shownName(schemeOf(file.path) === undefined ? ownPath(cwd, file.path) : file.path);
	if (file.isBinary) return `${path}: binary, ${file.matches} matches`;
	const lines = firstMatches(file.lines, most, context);
	const out = form.head(path);
	let bytes = 0;
	let last: HitLine | undefined;
	for (const line of lines) {
		if (context > 0 && last && line.number > last.number + 1) out.push("--");
		const shown = form.row(path, line, stripControls(line.text, { newline: false }));
		bytes += shown.length;
		if (bytes > limits.bytes) break;
		out.push(shown);
		last = line;
	}
	const isWhole = last === lines.at(-1);
	const left = file.matches - (isWhole ? Math.min(most, file.matches) : (last?.match ?? 0));
	if (left > 0) out.push(`[${left} more in this file]`);
	return out.join("\n");
}

/** Returns the first matches with their context, without the context that belongs to the next match. */
function firstMatches(lines: readonly HitLine[], most: number, context: number): HitLine[] {
	const hitLines = lines.filter((line) => line.match <= most);
	const end = hitLines.findLast((line) => line.isMatch)?.number ?? 0;
	return hitLines.filter((line) => line.number <= end + context);
}

function notes(
	shown: number,
	files: number,
	{ matches, files: all, stopped, problems }: GroupedHits,
): string[] {
	const out = problems.map((problem) => `[not searched: ${oneLine(problem, limits.lineChars)}]`);
	if (stopped === "timeout") out.push("[the search timed out: use a narrower path]");
	const total = stopped === "limit" ? `more than ${matches}` : String(matches);
	if (shown < matches || stopped === "limit") {
		out.push(`[${shown} of ${total} matches, ${files} of ${all} files; narrow with path, glob or pattern]`);
	}
	return out;
}

/** Searches files for text, looking at them through operations of an extension; the search itself runs here. */
import { relative } from "node:path";

import { search } from "@tau/sys";
import { oneLine } from "@tau/utils";

import { absolute, numberOf, said, type Elsewhere, type Params } from "./elsewhere.ts";
import { limits } from "./limits.ts";

/** pi's: what is searched lies on this machine, what is shown around a match is read by the extension. */
export interface GrepOperations {
	/** Throws when it is not there. */
	isDirectory(absolutePath: string): Promise<boolean> | boolean;
	readFile(absolutePath: string): Promise<string> | string;
}

interface Match {
	path: string;
	line: number;
}

export const grepElsewhere: Elsewhere<GrepOperations> = async (params, { cwd, signal }, operations) => {
	const path = absolute(cwd, params.path);
	const isDirectory = await operations.isDirectory(path);
	const limit = Math.max(1, numberOf(params.limit, limits.matches));
	const matches = await matchesIn(path, cwd, params, limit, signal);
	if (matches.length === 0) return said("No matches found");
	const around = Math.max(0, numberOf(params.context, 0));
	const lines: string[] = [];
	for (const [file, found] of Map.groupBy(matches, (match) => match.path)) {
		signal.throwIfAborted();
		const text = (await operations.readFile(file)).split("\n");
		const shown = isDirectory ? relative(path, file) : (file.split("/").at(-1) ?? file);
		lines.push(...rowsOf(shown, text, found, around));
	}
	const isMore = matches.length >= limit;
	const note = isMore ? `\n\n[The first ${limit} matches]` : "";
	return said(lines.join("\n") + note, isMore ? { matchLimitReached: limit } : undefined);
};

async function matchesIn(
	root: string,
	cwd: string,
	params: Params,
	limit: number,
	signal: AbortSignal,
): Promise<Match[]> {
	const matches: Match[] = [];
	const outcome = await search(
		{
			pattern: String(params.pattern ?? ""),
			paths: [root],
			cwd,
			globs: typeof params.glob === "string" ? [params.glob] : [],
			literal: params.literal === true,
			ignoreCase: params.ignoreCase === true,
			maxMatches: limit,
			signal,
		},
		(event) => {
			if (event.type !== "match") return;
			const path = absolute(cwd, event.path);
			matches.push(...event.lines.map(({ number: line }) => ({ path, line })));
		},
	);
	if (!outcome.ok) throw new Error(outcome.message);
	return matches;
}

/** `file:3: text` for a match, `file-2- text` for what stands around it. */
function rowsOf(shown: string, text: readonly string[], found: readonly Match[], around: number): string[] {
	const hits = new Set(found.map(({ line }) => line));
	const wanted = new Set(
		[...hits].flatMap((line) => Array.from({ length: 2 * around + 1 }, (_, at) => line - around + at)),
	);
	return [...wanted]
		.filter((line) => line >= 1 && line <= text.length)
		.toSorted((a, b) => a - b)
		.map((line) => {
			const sign = hits.has(line) ? ":" : "-";
			return `${shown}${sign}${line}${sign} ${oneLine(text[line - 1] ?? "", limits.lineChars)}`;
		});
}

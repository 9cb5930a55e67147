/** Prints what `tau grep` finds: below each file's name on a terminal, one complete line each in a pipe. */
import type { MatchedLine, OnSearchEvent, SearchEvent } from "@tau/sys";
import { stripControls } from "@tau/utils";

import type { Output } from "../../../modes/output.ts";

interface Style {
	isColored: boolean;
	/** True when only file names are printed. */
	namesOnly: boolean;
	/** Lines come with those around them: what is apart is shown apart. */
	hasContext: boolean;
}

const colors = { path: "\x1b[35m", number: "\x1b[32m", match: "\x1b[1;31m", end: "\x1b[0m" } as const;

export function grepPrinter(out: Output, { isColored, namesOnly, hasContext }: Style): OnSearchEvent {
	let current: string | undefined;
	let last = 0;
	const paint = (color: keyof typeof colors, text: string): string =>
		isColored ? colors[color] + text + colors.end : text;
	const heading = (path: string): string => {
		const gap = current === undefined || namesOnly ? "" : "\n";
		return `${gap}${paint("path", path)}\n`;
	};
	const lines = (
		{ type, lines: matchedLines }: Extract<SearchEvent, { lines: unknown }>,
		path: string,
	): string => {
		let text = "";
		for (const line of matchedLines) {
			const mark = type === "match" ? ":" : "-";
			const isApart = last > 0 && line.number > last + 1;
			if (hasContext && out.isTerminal && isApart) text += "--\n";
			const directory = out.isTerminal ? "" : `${path}${mark}`;
			text += `${directory}${paint("number", String(line.number))}${mark}${shownLine(line, paint)}\n`;
			last = line.number;
		}
		return text;
	};
	return (event) => {
		const path = shown(event.path.replace(/^\.\//, ""));
		if (event.type === "end") {
			if (event.isBinary && !namesOnly) return out.write(`${path}: binary file matches\n`);
			return undefined;
		}
		const isNew = path !== current;
		const start = isNew && (namesOnly || out.isTerminal) ? heading(path) : "";
		if (isNew) last = 0;
		current = path;
		return out.write(namesOnly ? start : start + lines(event, path));
	};
}

/** Piece by piece: what a file holds must not reach into the colors. */
function shownLine({ text, ranges }: MatchedLine, paint: (color: "match", text: string) => string): string {
	let out = "";
	let at = 0;
	for (const [start, end] of ranges) {
		if (start < at || end === start) continue;
		out += shown(text.slice(at, start)) + paint("match", shown(text.slice(start, end)));
		at = end;
	}
	return out + shown(text.slice(at));
}

function shown(text: string): string {
	return stripControls(text, { newline: false });
}

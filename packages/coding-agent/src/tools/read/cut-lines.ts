/** Cuts a range of lines out of a text, numbers them and makes them harmless to a terminal. */
import { cutGraphemes, stripControls } from "@tau/utils";

import { limits } from "../limits.ts";

export interface CutLines {
	text: string;
	/** Number of the last line shown. */
	last: number;
	shown: number;
	total: number;
}

export function cutLines(text: string, offset: number, limit: number): CutLines {
	const lines = text.split("\n");
	// A newline at the end closes the last line; it does not begin another one.
	if (lines.at(-1) === "") lines.pop();
	const out: string[] = [];
	let bytes = 0;
	for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
		const numbered = `${String(offset + out.length).padStart(6)}  ${shownLine(line.replace(/\r$/, ""))}`;
		bytes += Buffer.byteLength(numbered) + 1;
		if (bytes > limits.readBytes && out.length > 0) break;
		out.push(numbered);
	}
	return { text: out.join("\n"), last: offset - 1 + out.length, shown: out.length, total: lines.length };
}

/** Cut before it is cleaned, so that the cost is bounded, and marked after it, so that nothing swallows the mark. */
function shownLine(line: string): string {
	const kept = cutGraphemes(line, limits.readLineChars, "");
	// A separator that some call a line break must not begin a line without a number.
	const clean = stripControls(kept, { newline: false });
	return kept.length < line.length ? `${clean}… [line cut]` : clean;
}

/** Cuts a range of lines out of a text and numbers them. */
import { cutGraphemes } from "@tau/utils";

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
		const number = String(offset + out.length).padStart(6);
		const numbered = `${number}  ${cutGraphemes(line.replace(/\r$/, ""), limits.readLineChars, "… [line cut]")}`;
		bytes += Buffer.byteLength(numbered) + 1;
		if (bytes > limits.readBytes && out.length > 0) break;
		out.push(numbered);
	}
	return { text: out.join("\n"), last: offset - 1 + out.length, shown: out.length, total: lines.length };
}

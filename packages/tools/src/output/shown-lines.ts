/** Converts a program's output into the lines that a terminal would show, without control sequences. */
import { stripControls } from "@tau/utils";

/** Returns the lines without an empty one at the end: a newline ends a line and does not begin one. */
export function shownLines(text: string): string[] {
	const lines = text.split("\n");
	if (lines.at(-1) === "") lines.pop();
	return lines.map((line) => stripControls(overwritten(line), { newline: false }));
}

/** A carriage return moves to the start of the line, and the following text overwrites the line. */
function overwritten(line: string): string {
	let end = line.length;
	while (line[end - 1] === "\r") end--;
	return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}

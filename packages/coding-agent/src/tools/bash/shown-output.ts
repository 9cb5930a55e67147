/** The output of a command as a terminal would show it: what was overwritten is gone, and nothing is left to obey. */
import type { OutputTail } from "@tau/sys";
import { stripControls } from "@tau/utils";

export function shownOutput(output: OutputTail): string {
	const lines = output.text().split("\n").map(overwritten);
	return stripControls(lines.join("\n")).trimEnd();
}

function overwritten(line: string): string {
	let end = line.length;
	while (line[end - 1] === "\r") end--;
	return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}

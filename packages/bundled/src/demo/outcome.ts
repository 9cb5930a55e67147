/** Reads the results of the demo's tool calls. */
import { block, code, gist, paragraphs } from "./markdown.ts";
import type { Outcome } from "./turn.ts";

/** A part of a file as the read tool returned it. */
export interface FilePart {
	/** The number of the first line. */
	first: number;
	lines: string[];
	/** The tool's own notes: how to continue, or that there is nothing to number. */
	notices: string[];
}

const numbered = /^\s*(\d+)(?:\t| {2})/;

/** The read tool numbers the lines of a file one by one; what it says itself has no such number. */
export function filePart(text: string): FilePart {
	const rows = text.trimEnd() === "" ? [] : text.replace(/\n$/, "").split("\n");
	const first = Number(numbered.exec(rows[0] ?? "")?.[1] ?? 1);
	const lines: string[] = [];
	const notices: string[] = [];
	for (const row of rows) {
		const match = numbered.exec(row);
		if (match && Number(match[1]) === first + lines.length) lines.push(row.slice(match[0].length));
		else notices.push(row);
	}
	return { first, lines, notices };
}

/** The exit code of a bash call; undefined when the command did not get that far. */
export function exitCode(outcome: Outcome): number | undefined {
	if (!outcome.failed) return 0;
	const text = exitLine.exec(lastLine(outcome.text))?.[1];
	return outcome.exitCode ?? (text === undefined ? undefined : Number(text));
}

const exitLine = /\bexit(?:ed)?(?: with)?(?: code| status)?:? (\d{1,3})\b/i;

/** The output of a command, without the tool's own notes. */
export function printed(outcome: Outcome): string {
	const text = outcome.text.trimEnd();
	const last = outcome.failed ? lastLine(text) : "";
	const output = exitLine.test(last) ? text.slice(0, -last.length).trimEnd() : text;
	return output.trim() === "(no output)" ? "" : output;
}

function lastLine(text: string): string {
	const end = text.trimEnd();
	return end.slice(end.lastIndexOf("\n") + 1);
}

/** Reports which call failed, and how, with the tool's own message. */
export function failureText(outcome: Outcome): string {
	const { command, path } = outcome.arguments;
	const subject =
		typeof path === "string"
			? ` of ${code(path)}`
			: typeof command === "string"
				? ` of ${code(command)}`
				: "";
	return paragraphs(
		`The ${code(outcome.tool)} call${subject} failed.`,
		outcome.text.trim() === "" ? "No reason was given." : block(gist(outcome.text)),
	);
}

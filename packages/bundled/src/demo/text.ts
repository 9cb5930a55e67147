/** Markdown around text that was not written for it, and what the results of the demo's tool calls say. */
import { cutUnits, oneLine } from "@tau/utils";

import { limits } from "./limits.ts";
import type { Outcome } from "./turn.ts";

/** A code block whose fence is longer than any run of backticks inside. */
export function block(text: string, language = ""): string {
	const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
	return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/** Inline code on one line. */
export function code(text: string): string {
	const line = sentence(text);
	const ticks = "`".repeat(longestRun(line) + 1);
	const gap = line.startsWith("`") || line.endsWith("`") ? " " : "";
	return `${ticks}${gap}${line}${gap}${ticks}`;
}

function longestRun(text: string): number {
	return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}

export function sentence(text: string): string {
	return oneLine(text, limits.sentenceChars);
}

export function list(items: readonly string[]): string {
	return items.map((item) => `- ${item}`).join("\n");
}

/** The first of them as code, and how many there are beside: "`a`, `b` and 3 more". */
export function firstOf(items: readonly string[], most: number, paint = code): string {
	const more = items.length > most ? ` and ${items.length - most} more` : "";
	return (
		items
			.slice(0, most)
			.map((item) => paint(item))
			.join(", ") + more
	);
}

/** Paragraphs, without those that are empty. */
export function paragraphs(...parts: readonly (string | undefined)[]): string {
	return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}

export function plural(count: number, one: string, many = `${one}s`): string {
	return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}

/** The whole text when it is short, else its two ends and how much is between them. */
export function gist(text: string): string {
	const lines = text
		.replace(/\n$/, "")
		.split("\n")
		.map((line) => cutUnits(line, limits.shownLineChars));
	if (lines.length <= limits.shownLines) return lines.join("\n");
	const [start, end] = [lines.slice(0, limits.shownEnds), lines.slice(-limits.shownEnds)];
	return [...start, `… ${plural(lines.length - 2 * limits.shownEnds, "more line")} …`, ...end].join("\n");
}

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
	const part: FilePart = { first: Number(numbered.exec(rows[0] ?? "")?.[1] ?? 1), lines: [], notices: [] };
	for (const row of rows) {
		const match = numbered.exec(row);
		if (match && Number(match[1]) === part.first + part.lines.length)
			part.lines.push(row.slice(match[0].length));
		else part.notices.push(row);
	}
	return part;
}

const exitLine = /\bexit(?:ed)?(?: with)?(?: code| status)?:? (\d{1,3})\b/i;

/** The exit code of a bash call; undefined when the command did not get that far. */
export function exitCode({ failed, text, exitCode: known }: Outcome): number | undefined {
	if (!failed) return 0;
	const said = exitLine.exec(lastLine(text))?.[1];
	return known ?? (said === undefined ? undefined : Number(said));
}

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
export function failureText({ tool, arguments: args, text }: Outcome): string {
	const subject = args.path ?? args.command;
	return paragraphs(
		`The ${code(tool)} call${typeof subject === "string" ? ` of ${code(subject)}` : ""} failed.`,
		text.trim() === "" ? "No reason was given." : block(gist(text)),
	);
}

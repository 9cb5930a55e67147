/** Small pieces of markdown around text that was not written for markdown. */
import { cutUnits, oneLine } from "@tau/utils";

import { limits } from "./limits.ts";

/** A code block whose fence is longer than any run of backticks inside. */
export function block(text: string, language = ""): string {
	const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
	return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/** Inline code on one line. */
export function code(text: string): string {
	const line = oneLine(text, limits.sentenceChars);
	const ticks = "`".repeat(longestRun(line) + 1);
	const gap = line.startsWith("`") || line.endsWith("`") ? " " : "";
	return `${ticks}${gap}${line}${gap}${ticks}`;
}

export function list(items: readonly string[]): string {
	return items.map((item) => `- ${item}`).join("\n");
}

/** Paragraphs, without those that are empty. */
export function paragraphs(...parts: readonly (string | undefined)[]): string {
	return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}

export function plural(count: number, one: string, many = `${one}s`): string {
	return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}

export function sentence(text: string): string {
	return oneLine(text, limits.sentenceChars);
}

/** The whole text when it is short, else its two ends and how much is between them. */
export function gist(text: string): string {
	const lines = text
		.replace(/\n$/, "")
		.split("\n")
		.map((line) => cutUnits(line, limits.shownLineChars));
	if (lines.length <= limits.shownLines) return lines.join("\n");
	const left = lines.length - 2 * limits.shownEnds;
	return [
		...lines.slice(0, limits.shownEnds),
		`… ${plural(left, "more line")} …`,
		...lines.slice(-limits.shownEnds),
	].join("\n");
}

function longestRun(text: string): number {
	let longest = 0;
	for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
	return longest;
}

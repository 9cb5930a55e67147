/** Explains what is wrong with a regular expression, and shows where. */
import { stripControls } from "@tau/utils";

import { limits } from "./limits.ts";

/** `literal` is what searches for plain text: a parameter for the model, a flag in a shell. */
export function patternProblem(
	pattern: string,
	{ message, at }: { message: string; at?: number },
	literal = "set literal",
): string {
	const advice = `Escape it with a backslash, or ${literal} to search for plain text.`;
	if (at === undefined) return `Invalid regex: ${message}. ${advice}`;
	const { text, column } = excerpt(pattern, at);
	return `Invalid regex at character ${at + 1}: ${message}.\n${text}\n${" ".repeat(column)}^\n${advice}`;
}

/** Returns the line with the problem, or the text around the problem in a very long line. */
function excerpt(pattern: string, at: number): { text: string; column: number } {
	const lineStart = pattern.lastIndexOf("\n", at - 1) + 1;
	const start = Math.max(lineStart, at - limits.patternChars / 2);
	const line = pattern.slice(start, start + limits.patternChars).split("\n", 1)[0] ?? "";
	const clean = (text: string): string => stripControls(text, { newline: false, tab: false });
	const before = clean(line.slice(0, at - start));
	return { text: before + clean(line.slice(at - start)), column: Bun.stringWidth(before) };
}

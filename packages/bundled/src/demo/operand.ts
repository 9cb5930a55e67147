/** Takes the parts of a prompt as their writer marked them off: in quotes, in a code block, or bare. */
import { limits } from "./limits.ts";

export interface Operand {
	text: string;
	/** Quoted text is meant exactly; bare text and a code block are meant as lines. */
	marked: "bare" | "quoted" | "block";
}

/** The longer opening first: three backticks also begin with one. */
const quotes: readonly (readonly [string, string])[] = [
	["```", "```"],
	["`", "`"],
	['"', '"'],
	["'", "'"],
	["“", "”"],
	["‘", "’"],
	["«", "»"],
];

export function operand(raw: string): Operand {
	const text = raw.trim();
	const quote = enclosing(text);
	if (!quote) return { text, marked: "bare" };
	const inner = text.slice(quote[0].length, -quote[1].length);
	if (quote[0] !== "```") return { text: inner, marked: "quoted" };
	// The first line of a code block names its language; the last line break belongs to the fence.
	return { text: inner.replace(/^[^\n]*\n/, "").replace(/\r?\n$/, ""), marked: "block" };
}

/** The quotes around the whole text, if any. */
export function enclosing(text: string): readonly [string, string] | undefined {
	const quote = opening(text);
	return quote && text.length >= quote[0].length + quote[1].length && text.endsWith(quote[1])
		? quote
		: undefined;
}

/**
 * Splits at one of the words, standing alone. Where the left part begins with a quote, the split is at the first
 * word behind its end; only if there is none does the quote count as a bare character.
 */
export function splitAt(
	text: string,
	words: readonly string[],
	from: "first" | "last",
): [string, string] | undefined {
	const matched = [...text.matchAll(new RegExp(`\\s(?:${words.join("|")})\\s`, "gi"))];
	if (from === "last") matched.reverse();
	const sides = ({ index, 0: word }: RegExpExecArray): [string, string] => [
		text.slice(0, index),
		text.slice(index + word.length),
	];
	const behindQuote = opening(text.trimStart())
		? matched.find((match) => enclosing(text.slice(0, match.index).trim()))
		: undefined;
	const split = behindQuote ?? matched[0];
	return split && sides(split);
}

/** A path: in quotes, or one word; undefined for anything that cannot be one. */
export function pathOperand(raw: string): Operand | undefined {
	const text = raw.trim();
	if (text.length > limits.pathChars) return undefined;
	const path = operand(text);
	if (path.marked === "bare") {
		path.text = path.text.replace(/^@/, "").replace(/(?<=[^.])[?!,;:.]+$/, "");
		if (/\s/.test(path.text)) return undefined;
	}
	return path.text === "" || /[\n\0]/.test(path.text) ? undefined : path;
}

/** True for a bare word that nobody would take for anything but a file. */
export function looksLikePath(path: Operand): boolean {
	return (
		path.marked !== "bare" || /[./]/.test(path.text) || /^[A-Z][A-Z_]+$|^[A-Z][a-z]+file$/.test(path.text)
	);
}

function opening(text: string): readonly [string, string] | undefined {
	return quotes.find(([open]) => text.startsWith(open));
}

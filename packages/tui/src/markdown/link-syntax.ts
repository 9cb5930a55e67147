/** Parses the parts of a link: label, address and title. */
import { unescapeText } from "./entities.ts";
import { markdownLimits } from "./limits.ts";

/** A parsed part, and the position after it. */
export interface LinkMatch {
	text: string;
	end: number;
}

/** White space with at most one line break in it. */
export function skipSpace(text: string, from: number): number {
	let at = from;
	let hasBreak = false;
	for (; at < text.length; at++) {
		const unit = text[at];
		if (unit === "\n") {
			if (hasBreak) break;
			hasBreak = true;
		} else if (unit !== " " && unit !== "\t") break;
	}
	return at;
}

/** `<address>` or an address without spaces and with balanced parentheses. */
export function destinationAt(text: string, start: number): LinkMatch | undefined {
	return text[start] === "<" ? enclosedAddress(text, start) : bareAddress(text, start);
}

function enclosedAddress(text: string, start: number): LinkMatch | undefined {
	for (let at = start + 1; at < text.length; at++) {
		const unit = text[at];
		if (unit === ">") return { text: unescapeText(text.slice(start + 1, at)), end: at + 1 };
		if (unit === "<" || unit === "\n") return undefined;
		if (unit === "\\") at++;
	}
	return undefined;
}

function bareAddress(text: string, start: number): LinkMatch | undefined {
	let depth = 0;
	let at = start;
	for (; at < text.length; at++) {
		const unit = text.charCodeAt(at);
		if (unit <= 0x20 || unit === 0x7f) break;
		if (unit === 0x5c && /[!-/:-@[-`{-~]/.test(text.charAt(at + 1))) at++;
		else if (unit === 0x28 && ++depth > markdownLimits.parentheses) return undefined;
		else if (unit === 0x29 && depth-- === 0) break;
	}
	// The closing parenthesis is not part of the address.
	if (depth > 0) return undefined;
	return { text: unescapeText(text.slice(start, at)), end: at };
}

const titleEnds: Readonly<Record<string, string>> = { '"': '"', "'": "'", "(": ")" };

export function titleAt(text: string, start: number): LinkMatch | undefined {
	const opener = text.charAt(start);
	const end = titleEnds[opener];
	if (end === undefined) return undefined;
	for (let at = start + 1; at < text.length; at++) {
		const unit = text[at];
		if (unit === end) return { text: unescapeText(text.slice(start + 1, at)), end: at + 1 };
		if (unit === "\\") at++;
		else if (unit === "(" && opener === "(") return undefined;
	}
	return undefined;
}

/** `[label]`: returns the text between the brackets. */
export function labelAt(text: string, start: number): LinkMatch | undefined {
	if (text[start] !== "[") return undefined;
	const most = Math.min(text.length, start + markdownLimits.labelChars + 2);
	for (let at = start + 1; at < most; at++) {
		const unit = text[at];
		if (unit === "]") return { text: text.slice(start + 1, at), end: at + 1 };
		if (unit === "[") return undefined;
		if (unit === "\\") at++;
	}
	return undefined;
}

/** Labels match regardless of case and white space. */
export function labelKey(label: string): string {
	return label.trim().replaceAll(/\s+/g, " ").toLowerCase().toUpperCase();
}

/** Sanitizes external text for editing: no controls, plain line ends, no tabs. */
import { stripControls } from "@tau/utils";

/** A tab has no fixed width, but the caret needs one. */
const TAB = "    ";

/** Escape sequences and control characters are removed; lone surrogates become U+FFFD. */
export function cleanText(text: string): string {
	const plain = text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
	const clean = needsStripping.test(plain) ? stripControls(plain) : plain;
	return clean.includes("\t") ? clean.replaceAll("\t", TAB) : clean;
}

/** The same for a single-line field: line breaks become spaces. */
export function cleanLine(text: string): string {
	return cleanText(text).replaceAll(/\n+/g, " ");
}

/** The characters that `stripControls` would change, except line feeds and tabs. */
const needsStripping = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Cs}]/u;

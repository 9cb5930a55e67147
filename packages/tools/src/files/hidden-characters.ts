/** Shows characters that a terminal would obey or hide as `<U+001B>`, and reads that form back. */
import { stripControls } from "@tau/utils";

/** Controls but tab and line feed, direction marks, and separators that some take for line ends. */
const hidden = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const shownForm = /<U\+([0-9A-F]{4})>/gi;

/** The note that the model receives about a text with such characters. */
export const hiddenNote = "<U+XXXX> stands for a control character in the file; edit accepts this form";

/** The note that the model receives when it sent the displayed form instead of the character. */
export const takenNote = "<U+XXXX> was converted to the character it stands for.";

export function showHidden(text: string): string {
	// The remaining characters are lone surrogates, which have no code point of their own.
	return stripControls(text.replace(hidden, (character) => `<${codePoint(character)}>`));
}

/** `U+001B` */
export function codePoint(character: string): string {
	return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

export function hiddenIn(text: string): Set<string> {
	return new Set(text.match(hidden) ?? []);
}

/** Replaces displayed forms by their characters; with `only`, just these. */
export function takeShown(text: string, only?: ReadonlySet<string>): string {
	return text.replace(shownForm, (form, digits: string) => {
		const character = String.fromCodePoint(Number.parseInt(digits, 16));
		const isMeant = hiddenIn(character).size > 0 && (only?.has(character) ?? true);
		return isMeant ? character : form;
	});
}

/**
 * A text with its new text, where the text was given in the shown form: undefined where it was not. Of the new text,
 * only characters are taken that the old one has.
 */
export function takeBothShown(oldText: string, newText: string): [old: string, now: string] | undefined {
	const taken = takeShown(oldText);
	return taken === oldText ? undefined : [taken, takeShown(newText, hiddenIn(taken))];
}

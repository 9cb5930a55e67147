/** Removes everything from untrusted text that a terminal would act on instead of display. */
import { openedSequence, stepSequence, type Sequence } from "./terminal-sequence.ts";

export interface StripOptions {
	/** Keep line feeds; otherwise each becomes a space. */
	newline?: boolean;
	/** Keep tabs; otherwise each becomes a space. */
	tab?: boolean;
}

/**
 * Removes terminal sequences (7-bit and 8-bit), all other control characters and direction marks. Line and
 * paragraph separators become line feeds, lone surrogates U+FFFD.
 */
export function stripControls(text: string, options: StripOptions = {}): string {
	const stripper = new ControlStripper(options);
	return stripper.push(text) + stripper.end();
}

/** Controls, direction marks, separators; `\p{Cs}` matches only surrogates without a partner. */
const special = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\p{Cs}]/gu;

/** Characters without a picture of their own, beside those that a terminal acts on. */
const unseen = /[^\P{C}\n\t]|[^\P{Z} ]|\p{Default_Ignorable_Code_Point}/gu;

/**
 * Shows what would be invisible or acted on as its code, `<U+202E>`: for text that a user approves and that therefore
 * must show all of itself. Line feeds and tabs stay.
 */
export function showControls(text: string): string {
	return text.replaceAll(unseen, (character) => {
		const code = character.codePointAt(0) ?? 0;
		return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
	});
}

const LF = 0x0a;

/** The same as `stripControls`, for text that comes in pieces: a sequence may be split anywhere. */
export class ControlStripper {
	readonly #newline: string;
	readonly #tab: string;
	#inside: Sequence | undefined;
	#pending = "";

	constructor(options: StripOptions = {}) {
		this.#newline = options.newline === false ? " " : "\n";
		this.#tab = options.tab === false ? " " : "\t";
	}

	push(chunk: string): string {
		const text = this.#pending + chunk;
		this.#pending = "";
		let out = "";
		let at = 0;
		while (at < text.length) {
			if (this.#inside !== undefined) {
				const next = stepSequence(this.#inside, text.charCodeAt(at));
				this.#inside = next === "end" || next === "broken" ? undefined : next;
				// The character that breaks a sequence is not part of it, and is read again as text.
				if (next !== "broken") at++;
				continue;
			}
			special.lastIndex = at;
			const next = special.exec(text)?.index ?? text.length;
			out += text.slice(at, next);
			if (next < text.length) out += this.#replace(text, next);
			at = next + 1;
		}
		return out;
	}

	/** Must be called at the end of the text; an open sequence is discarded as unfinished. */
	end(): string {
		const rest = this.#pending === "" ? "" : "\ufffd";
		this.#pending = "";
		this.#inside = undefined;
		return rest;
	}

	#replace(text: string, at: number): string {
		const unit = text.charCodeAt(at);
		if (unit === LF || unit === 0x2028 || unit === 0x2029) return this.#newline;
		if (unit === 0x09) return this.#tab;
		if (unit >= 0xd800 && unit <= 0xdfff) {
			if (unit > 0xdbff || at + 1 < text.length) return "\ufffd";
			// The other half of the surrogate pair may come with the next chunk.
			this.#pending = text.slice(at);
			return "";
		}
		this.#inside = openedSequence(unit);
		return "";
	}
}

/** Collects the chunks of one bracketed paste until its end, in linear time. */
import { limits } from "./limits.ts";

export const PASTE_START = "\x1b[200~";
export const PASTE_END = "\x1b[201~";

export class PasteAssembly {
	readonly #pieces: string[] = [];
	/** The last characters, in which a split end marker may have begun. */
	#tail = "";
	#keptChars = 0;
	#dropped = 0;

	/** Returns the input after the end of the paste, or undefined while it continues. */
	push(chunk: string): string | undefined {
		const text = this.#tail + chunk;
		const end = text.indexOf(PASTE_END);
		if (end >= 0) {
			this.#tail = "";
			this.#keep(text.slice(0, end));
			return text.slice(end + PASTE_END.length);
		}
		const torn = tornEnd(text);
		this.#tail = text.slice(text.length - torn);
		this.#keep(text.slice(0, text.length - torn));
		return undefined;
	}

	/** The paste as far as it arrived. */
	end(): { text: string; dropped: number } {
		this.#keep(this.#tail);
		this.#tail = "";
		return { text: this.#pieces.join(""), dropped: this.#dropped };
	}

	#keep(text: string): void {
		const room = limits.pasteChars - this.#keptChars;
		// Cut so that no surrogate pair is split.
		const cut = text.length > room && /[\ud800-\udbff]/.test(text.charAt(room - 1)) ? room - 1 : room;
		const piece = text.slice(0, Math.max(0, cut));
		if (piece !== "") this.#pieces.push(piece);
		this.#keptChars += piece.length;
		this.#dropped += text.length - piece.length;
		// After a cut nothing more is kept, or the paste would have a hole.
		if (piece.length < text.length) this.#keptChars = limits.pasteChars;
	}
}

/** How many characters at the end of `text` may be the beginning of the end marker. */
function tornEnd(text: string): number {
	const escape = text.lastIndexOf("\x1b");
	const length = text.length - escape;
	return escape >= 0 && length < PASTE_END.length && PASTE_END.startsWith(text.slice(escape)) ? length : 0;
}

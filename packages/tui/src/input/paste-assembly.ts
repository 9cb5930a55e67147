/** Collects the pieces of one bracketed paste until its end, in time linear in its length. */
import { limits } from "./limits.ts";

export const PASTE_START = "\x1b[200~";
export const PASTE_END = "\x1b[201~";

export class PasteAssembly {
	readonly #pieces: string[] = [];
	/** The last characters seen, where a torn end may have begun. */
	#tail = "";
	#kept = 0;
	#dropped = 0;

	/** Gives back what comes after the end of the paste, or nothing while it goes on. */
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

	/** The paste as far as it came. */
	end(): { text: string; dropped: number } {
		this.#keep(this.#tail);
		this.#tail = "";
		return { text: this.#pieces.join(""), dropped: this.#dropped };
	}

	#keep(text: string): void {
		const room = limits.pasteChars - this.#kept;
		// Cut so that no character loses its half.
		const cut = text.length > room && /[\ud800-\udbff]/.test(text.charAt(room - 1)) ? room - 1 : room;
		const kept = text.slice(0, Math.max(0, cut));
		if (kept !== "") this.#pieces.push(kept);
		this.#kept += kept.length;
		this.#dropped += text.length - kept.length;
		// After a cut nothing more is kept, or the paste would have a hole.
		if (kept.length < text.length) this.#kept = limits.pasteChars;
	}
}

/** How many characters at the end of `text` may be the beginning of the end marker. */
function tornEnd(text: string): number {
	const escape = text.lastIndexOf("\x1b");
	const length = text.length - escape;
	return escape >= 0 && length < PASTE_END.length && PASTE_END.startsWith(text.slice(escape)) ? length : 0;
}

/** A text that grows by small pieces and can be read after each, without keeping an object for every piece. */
import { limits } from "./limits.ts";

/**
 * A string that grew by `+=` keeps all its pieces until it is read: 60 bytes for a token of four. Reading the newest
 * thousand characters joins them, at one copy for each; reading all of it would be quadratic.
 */
export class GrowingText {
	#joined = "";
	#open = "";

	get value(): string {
		return this.#joined + this.#open;
	}

	get length(): number {
		return this.#joined.length + this.#open.length;
	}

	add(piece: string): void {
		this.#open += piece;
		if (this.#open.length < limits.openTextChars) return;
		// This changes nothing, but a text has to be joined to be searched, and a search for one character is the fastest.
		this.#joined += this.#open.replace("\0", "\0");
		this.#open = "";
	}

	clear(): void {
		this.#joined = "";
		this.#open = "";
	}
}

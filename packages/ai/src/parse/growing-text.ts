/** A text that grows by small pieces and can be read after each, without an object left behind for every piece. */
import { limits } from "./limits.ts";

/**
 * A string that grew by `+=` remembers all its pieces until somebody looks into it: 60 bytes for a token of four.
 * Looking into the newest thousand characters joins them, at one copy for each; looking into all would be quadratic.
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
		// Changes nothing, but nobody can search a text without joining it.
		this.#joined += this.#open.replace(/$/, "");
		this.#open = "";
	}

	clear(): void {
		this.#joined = "";
		this.#open = "";
	}
}

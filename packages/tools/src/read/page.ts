/** Gathers the lines of one answer: numbered as the model needs them, harmless, and within the bounds. */
import { cutGraphemes, cutUtf8, stripControls } from "@tau/utils";

import { hashlineRows } from "../files/hashline.ts";
import { showHidden } from "../files/hidden-characters.ts";
import { limits } from "./limits.ts";

/**
 * `numbered` for what is read, `hashline` for what is edited by line, `plain` for what has no lines of its own, `raw` for
 * code that reads a file.
 */
export type PageStyle = "numbered" | "hashline" | "plain" | "raw";

export class Page {
	readonly first: number;
	/** The longest start of a line that may be shown, in bytes: a reader need not store more of it. */
	readonly keptBytes: number;
	readonly #limit: number;
	readonly #style: PageStyle;
	readonly #dropsHidden: boolean;
	readonly #rows: string[] = [];
	#bytes = 0;
	#cut = 0;
	#hasHidden = false;

	/** Invisible characters are shown by their numbers, unless `dropsHidden` removes them. */
	constructor(style: PageStyle, first: number, limit: number, dropsHidden = style === "plain") {
		this.first = first;
		this.#style = style;
		this.#dropsHidden = dropsHidden;
		this.#limit = Math.min(limit, limits.lines);
		// A grapheme may have many bytes, but seldom more than four. The last character may be torn, and is dropped then.
		this.keptBytes = (this.isSingle ? limits.bytes : limits.lineChars * 4) + limits.characterBytes;
	}

	get count(): number {
		return this.#rows.length;
	}

	get last(): number {
		return this.first + this.#rows.length - 1;
	}

	get isFull(): boolean {
		return this.#rows.length >= this.#limit;
	}

	/** Lines that are not shown to their end. */
	get cutLines(): number {
		return this.#cut;
	}

	/** True when characters of the lines are shown by their numbers. */
	get hasHidden(): boolean {
		return this.#hasHidden;
	}

	/** True for a request for exactly one line, which is deliberate. */
	get isSingle(): boolean {
		return this.#limit === 1;
	}

	get text(): string {
		return this.#rows.join("\n");
	}

	/** `behind` counts what follows the line and was not stored. Returns whether the line was added. */
	add(line: string, behind = 0): boolean {
		if (this.isFull) return false;
		const row = this.#numbered(this.#shown(line, behind));
		const bytes = Buffer.byteLength(row) + 1;
		if (this.#bytes + bytes > limits.bytes && this.#rows.length > 0) return false;
		this.#bytes += bytes;
		this.#rows.push(row);
		return true;
	}

	#numbered(line: string): string {
		const number = this.last + 1;
		if (this.#style === "plain" || this.#style === "raw") return line;
		return this.#style === "hashline"
			? hashlineRows([line], number)
			: `${String(number).padStart(6)}  ${line}`;
	}

	/** Cut before it is cleaned, so that the cost is bounded, and marked after it, so that nothing swallows the mark. */
	#shown(line: string, behind: number): string {
		const kept = this.isSingle ? cutUtf8(line, limits.bytes) : cutGraphemes(line, limits.lineChars, "");
		// A separator that some call a line break must not begin a line without a number.
		const clean = this.#dropsHidden ? stripControls(kept, { newline: false }) : showHidden(kept);
		if (clean !== kept && !this.#dropsHidden) this.#hasHidden = true;
		const more = line.length - kept.length + behind;
		if (more === 0) return clean;
		this.#cut++;
		return `${clean}… [cut, ${more} more]`;
	}
}

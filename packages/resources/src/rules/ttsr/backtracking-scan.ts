/** Matches conditions that need the regex engine, such as lookarounds: at fixed positions, over a bounded window. */
import { limits } from "./limits.ts";
import type { Scan } from "./scan.ts";

/** The time a condition has taken so far; one that takes too much is disabled for the rest of the session. */
export interface Meter {
	ms: number;
}

export class BacktrackingScan implements Scan {
	readonly #regex: RegExp;
	readonly #window: number;
	readonly #meter: Meter;
	#text = "";
	/** The position in the text at which the next match is tried. */
	#due: number;
	readonly #step: number;
	#hasMatched = false;
	/** The engine does not report partial matches. */
	readonly idleAt = undefined;

	/** `regex` has the flag g: its search starts within the text and sees the text before. */
	constructor(regex: RegExp, window: number, meter: Meter) {
		this.#regex = regex;
		this.#window = window;
		this.#meter = meter;
		// Windows overlap: a match across the end of one is inside the next.
		this.#step = Math.min(limits.backtrackingStep, window >> 1);
		this.#due = this.#step;
	}

	push(text: string, from: number, to: number): boolean {
		let at = from;
		while (at < to && !this.#hasMatched) {
			const line = text.indexOf("\n", at);
			const room = at + this.#due - this.#text.length;
			const end = Math.min(line < 0 ? to : line + 1, room, to);
			this.#text += text.slice(at, end);
			at = end;
			if (this.#text.endsWith("\n") || this.#text.length >= this.#due) this.#look(false);
		}
		return this.#hasMatched;
	}

	end(): boolean {
		if (!this.#hasMatched) this.#look(true);
		return this.#hasMatched;
	}

	/** A match at the very end may disappear with more text, so only the last attempt accepts it. */
	#look(isEnd: boolean): void {
		const start = performance.now();
		this.#regex.lastIndex = Math.max(0, this.#text.length - this.#window);
		const match = this.#regex.exec(this.#text);
		this.#meter.ms += performance.now() - start;
		const end = match ? match.index + match[0].length : 0;
		this.#hasMatched = match !== null && (isEnd || end < this.#text.length);
		// Only `^`, `\b` and lookbehinds see the text before the window.
		if (this.#text.length > 2 * this.#window) this.#text = this.#text.slice(-this.#window - 1);
		this.#due = this.#text.length + this.#step;
	}
}

/** The newest output of a debuggee, and how much of it the model has seen. */
import { ControlStripper } from "@tau/utils";

import { limits } from "../limits.ts";

/** A category of another name counts as one: each has a stripper of its own. */
const streams = new Set(["stdout", "stderr", "terminal"]);

export class DebuggeeOutput {
	readonly #controls = new Map<string, ControlStripper>();
	#text = "";
	/** Characters that were dropped since the model last looked. */
	#dropped = 0;
	#seen = 0;

	/** Each stream may end in the middle of a control sequence. */
	add(text: string, category: string): void {
		const stream = streams.has(category) ? category : "console";
		let stripper = this.#controls.get(stream);
		if (!stripper) this.#controls.set(stream, (stripper = new ControlStripper()));
		this.#text += stripper.push(text);
		// Twice the bound, so that a flood of short lines does not copy everything for each of them.
		if (this.#text.length > 2 * limits.outputChars) this.#trim();
	}

	#trim(): void {
		const excess = this.#text.length - limits.outputChars;
		if (excess <= 0) return;
		this.#text = this.#text.slice(excess);
		this.#dropped += Math.max(0, excess - this.#seen);
		this.#seen = Math.max(0, this.#seen - excess);
	}

	/** What the model has not seen; of more than `chars`, the end. */
	unseen(chars: number): string {
		const text = this.#text.slice(this.#seen);
		const omitted = this.#dropped + Math.max(0, text.length - chars);
		this.#seen = this.#text.length;
		this.#dropped = 0;
		return omitted > 0 ? `[${omitted} characters omitted]\n${text.slice(-chars)}` : text;
	}

	get all(): string {
		this.#trim();
		return this.#text;
	}
}

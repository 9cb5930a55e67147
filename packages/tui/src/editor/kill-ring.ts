/** What was cut, newest last, to be put back and cycled through. */
import { limits } from "./limits.ts";

export class KillRing {
	readonly #ring: string[] = [];

	get length(): number {
		return this.#ring.length;
	}

	/** `accumulate` joins cuts that follow each other; `prepend` when they go backwards. */
	push(text: string, { prepend, accumulate = false }: { prepend: boolean; accumulate?: boolean }): void {
		if (text === "") return;
		const last = accumulate ? this.#ring.pop() : undefined;
		this.#ring.push(last === undefined ? text : prepend ? text + last : last + text);
		if (this.#ring.length > limits.kills) this.#ring.shift();
	}

	peek(): string | undefined {
		return this.#ring.at(-1);
	}

	/** The newest goes to the far end. */
	rotate(): void {
		const last = this.#ring.pop();
		if (last !== undefined) this.#ring.unshift(last);
	}

	entries(): readonly string[] {
		return this.#ring;
	}
}

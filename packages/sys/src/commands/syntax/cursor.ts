/** A position in the text of a script, with the bounds that keep parsing it cheap. */
import { limits } from "../limits.ts";

/** Thrown where the parser does not understand a script; `commandFacts` turns it into `unknown`. */
export class NotUnderstood extends Error {}

export class Cursor {
	protected at = 0;
	#depth: number;
	#steps: number;

	protected readonly text: string;

	constructor(text: string, depth: number) {
		this.text = text;
		this.#depth = depth;
		this.#steps = limits.stepsPerChar * (text.length + 64);
	}

	protected get depth(): number {
		return this.#depth;
	}

	protected fail(reason: string): never {
		throw new NotUnderstood(reason);
	}

	protected step(chars = 0): void {
		this.#steps -= 1 + chars / 64;
		if (this.#steps < 0) this.fail("the command is too intricate to judge");
	}

	/** Runs one level of nesting deeper. */
	protected nested<T>(read: () => T): T {
		if (++this.#depth > limits.depth) this.fail("the command is nested too deeply to judge");
		const result = read();
		this.#depth--;
		return result;
	}

	protected get char(): string {
		return this.text[this.at] ?? "";
	}

	protected peek(offset = 1): string {
		return this.text[this.at + offset] ?? "";
	}

	protected get ended(): boolean {
		return this.at >= this.text.length;
	}

	protected looksAt(token: string): boolean {
		return this.text.startsWith(token, this.at);
	}

	protected take(token: string): boolean {
		if (!this.looksAt(token)) return false;
		this.at += token.length;
		return true;
	}

	protected expect(token: string): void {
		if (!this.take(token)) this.fail(this.ended ? "the command is incomplete" : `expected "${token}"`);
	}

	protected match(pattern: RegExp): string | undefined {
		pattern.lastIndex = this.at;
		return pattern.exec(this.text)?.[0];
	}

	/** Spaces, tabs and continued lines. */
	protected skipBlanks(): void {
		for (;;) {
			this.step();
			if (this.char === " " || this.char === "\t") this.at++;
			else if (this.looksAt("\\\n")) this.at += 2;
			else return;
		}
	}
}

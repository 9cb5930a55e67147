/** A list from which another one opens: the last has the screen and the keys until it is left. */
import type { Component, Focusable } from "@tau/tui";

/** A component that reports whether it handles Escape itself before Escape closes it. */
export interface Escaping extends Component, Focusable {
	handleInput(data: string): void;
	wantsEscape(): boolean;
}

export class Stacked implements Escaping {
	readonly #layers: Escaping[];
	#isFocused = false;

	constructor(ground: Escaping) {
		this.#layers = [ground];
	}

	get focused(): boolean {
		return this.#isFocused;
	}

	set focused(focused: boolean) {
		this.#isFocused = focused;
		this.#top.focused = focused;
	}

	open(layer: Escaping): void {
		this.#layers.push(layer);
		layer.focused = this.#isFocused;
	}

	/** Leaves the last list; the first stays. */
	back(): void {
		if (this.#layers.length > 1) this.#layers.pop();
		this.#top.focused = this.#isFocused;
	}

	wantsEscape(): boolean {
		return this.#layers.length > 1 || this.#top.wantsEscape();
	}

	invalidate(): void {
		for (const layer of this.#layers) layer.invalidate();
	}

	render(width: number): string[] {
		return this.#top.render(width);
	}

	handleInput(data: string): void {
		this.#top.handleInput(data);
	}

	get #top(): Escaping {
		const top = this.#layers.at(-1);
		if (!top) throw new Error("A stack of lists is never empty.");
		return top;
	}
}

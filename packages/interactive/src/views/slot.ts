/** A slot of the frame, which an extension may fill with its own component. */
import type { Component } from "@tau/tui";

export class Slot implements Component {
	readonly #own: Component;
	#instead: Component | undefined;

	constructor(own: Component) {
		this.#own = own;
	}

	/** Without a component, what belongs here is back. */
	set(instead: Component | undefined): void {
		this.#instead = instead;
	}

	/** Used by the search for a component that requested a redraw. */
	get children(): Component[] {
		return [this.#current];
	}

	invalidate(): void {
		this.#own.invalidate();
		this.#instead?.invalidate();
	}

	render(width: number): string[] {
		return this.#current.render(width);
	}

	get #current(): Component {
		return this.#instead ?? this.#own;
	}
}

/** A horizontal line across the screen. */
import type { Component } from "../component.ts";
import { cells } from "../elements/rows.ts";
import type { Paint } from "../elements/text.ts";

export class DynamicBorder implements Component {
	readonly #paint: Paint;

	constructor(color: Paint = (text) => text) {
		this.#paint = color;
	}

	invalidate(): void {
		// No rows are cached.
	}

	render(width: number): string[] {
		return [this.#paint("─".repeat(cells(width)))];
	}
}

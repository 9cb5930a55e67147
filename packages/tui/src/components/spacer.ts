/** Empty rows. */
import type { Component } from "../component.ts";
import { cells } from "../elements/rows.ts";

export class Spacer implements Component {
	#lines: number;

	constructor(lines = 1) {
		this.#lines = lines;
	}

	setLines(lines: number): void {
		this.#lines = lines;
	}

	invalidate(): void {
		// No rows are cached.
	}

	render(_width: number): string[] {
		return Array.from({ length: cells(this.#lines) }, () => "");
	}
}

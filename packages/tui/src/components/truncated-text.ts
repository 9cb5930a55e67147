/** One line that is cut to the width. */
import type { Component } from "../component.ts";
import { truncateToWidth } from "../text.ts";
import { cells, spaces } from "../elements/rows.ts";
import { innerWidth } from "../elements/text.ts";

export class TruncatedText implements Component {
	readonly #text: string;
	readonly #paddingX: number;
	readonly #paddingY: number;

	constructor(text: string, paddingX = 0, paddingY = 0) {
		[this.#text = ""] = text.split(/[\r\n]/, 1);
		this.#paddingX = cells(paddingX);
		this.#paddingY = cells(paddingY);
	}

	invalidate(): void {
		// No rows are cached.
	}

	render(width: number): string[] {
		const margin = spaces(Math.min(this.#paddingX, width - 1));
		const edge = Array.from({ length: this.#paddingY }, () => "");
		return [...edge, margin + truncateToWidth(this.#text, innerWidth(width, this.#paddingX)), ...edge];
	}
}

/** One line that is cut to the width. */
import { expandTabs, truncateToWidth } from "@tau/sys";

import type { Component } from "../component.ts";

export class TruncatedText implements Component {
	readonly #text: string;
	readonly #paddingX: number;
	readonly #paddingY: number;

	constructor(text: string, paddingX = 0, paddingY = 0) {
		this.#text = text;
		this.#paddingX = paddingX;
		this.#paddingY = paddingY;
	}

	invalidate(): void {
		// Nothing is kept.
	}

	render(width: number): string[] {
		const [line = ""] = this.#text.split("\n", 1);
		const margin = " ".repeat(Math.min(this.#paddingX, Math.max(0, width - 1)));
		const room = Math.max(1, width - 2 * margin.length);
		const edge = Array.from({ length: this.#paddingY }, () => "");
		return [...edge, margin + truncateToWidth(expandTabs(line), room), ...edge];
	}
}

/** A row of key hints; hints that do not fit are left out completely, the last ones first. */
import type { Component } from "../component.ts";
import { truncateToWidth, visibleWidth } from "../text.ts";
import type { Theme } from "../theme/index.ts";
import { hintLine } from "./key-hint.ts";

const margin = " ";

export class HintLine implements Component {
	readonly #theme: Theme;
	readonly #hints: () => readonly string[];

	/** The hints are computed in every frame: keys can be rebound, and the available actions may change. */
	constructor(theme: Theme, hints: () => readonly string[]) {
		this.#theme = theme;
		this.#hints = hints;
	}

	invalidate(): void {
		// No rows are cached.
	}

	render(width: number): string[] {
		const row = hintsThatFit(this.#theme, this.#hints(), width - margin.length);
		return row === "" ? [] : [truncateToWidth(margin + row, width)];
	}
}

/** As many hints as fit; the first one is cut rather than left out. */
export function hintsThatFit(theme: Theme, hints: readonly string[], width: number): string {
	const known = hints.filter((hint) => hint !== "");
	for (let count = known.length; count > 1; count--) {
		const row = hintLine(theme, known.slice(0, count));
		if (visibleWidth(row) <= width) return row;
	}
	return truncateToWidth(known[0] ?? "", width);
}

/** Text that is wrapped to the width, with room around it and a ground behind it. */
import { expandTabs, visibleWidth, wrapTextWithAnsi } from "@tau/sys";

import type { Component } from "../component.ts";

export type Paint = (text: string) => string;

export class Text implements Component {
	#text: string;
	readonly #paddingX: number;
	readonly #paddingY: number;
	#ground: Paint | undefined;
	#drawn: { width: number; rows: string[] } | undefined;

	constructor(text = "", paddingX = 1, paddingY = 1, customBgFn?: Paint) {
		this.#text = text;
		this.#paddingX = paddingX;
		this.#paddingY = paddingY;
		this.#ground = customBgFn;
	}

	setText(text: string): void {
		if (text === this.#text) return;
		this.#text = text;
		this.#drawn = undefined;
	}

	setCustomBgFn(customBgFn?: Paint): void {
		this.#ground = customBgFn;
		this.#drawn = undefined;
	}

	invalidate(): void {
		this.#drawn = undefined;
	}

	render(width: number): string[] {
		if (this.#drawn?.width !== width) this.#drawn = { width, rows: this.#draw(width) };
		return this.#drawn.rows;
	}

	#draw(width: number): string[] {
		// Nothing to say takes no room.
		if (this.#text.trim() === "") return [];
		const inner = Math.max(1, width - 2 * this.#paddingX);
		const rows = expandTabs(this.#text)
			.split("\n")
			.flatMap((line) => wrapTextWithAnsi(line, inner));
		return surround(rows, {
			width,
			paddingX: this.#paddingX,
			paddingY: this.#paddingY,
			ground: this.#ground,
		});
	}
}

export interface Surroundings {
	width: number;
	paddingX: number;
	paddingY: number;
	ground?: Paint | undefined;
}

/** Rows with their room around them; a ground reaches from edge to edge. */
export function surround(rows: readonly string[], around: Surroundings): string[] {
	const { width, paddingX, paddingY, ground } = around;
	const margin = " ".repeat(Math.min(paddingX, Math.max(0, width - 1)));
	const placed = rows.map((row) => {
		const line = margin + row;
		return ground ? ground(line + " ".repeat(Math.max(0, width - visibleWidth(line)))) : line;
	});
	const blank = ground ? ground(" ".repeat(width)) : "";
	const edge = Array.from({ length: paddingY }, () => blank);
	return [...edge, ...placed, ...edge];
}

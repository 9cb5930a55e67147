/** Text that is wrapped to the width, with room around it and a ground behind it. */
import type { Component } from "../component.ts";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../text.ts";
import { onGround } from "./ground.ts";
import { cells, spaces } from "./rows.ts";

export type Paint = (text: string) => string;

export class Text implements Component {
	#text: string;
	readonly #paddingX: number;
	readonly #paddingY: number;
	#ground: Paint | undefined;
	#drawn: { width: number; rows: string[] } | undefined;

	constructor(text = "", paddingX = 1, paddingY = 1, customBgFn?: Paint) {
		this.#text = text;
		this.#paddingX = cells(paddingX);
		this.#paddingY = cells(paddingY);
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
		const inner = innerWidth(width, this.#paddingX);
		// Wrapped as one text: a colour that is open at the end of a line goes on in the next.
		const rows = wrapTextWithAnsi(this.#text, inner);
		return surround(
			// A character may be wider than the room there is.
			rows.map((row) => truncateToWidth(row, inner)),
			{ width, paddingX: this.#paddingX, paddingY: this.#paddingY, ground: this.#ground },
		);
	}
}

export interface Surroundings {
	width: number;
	paddingX: number;
	paddingY: number;
	ground?: Paint | undefined;
}

/** What is left for the content; one cell at least. */
export function innerWidth(width: number, paddingX: number): number {
	return Math.max(1, width - 2 * paddingX);
}

/** Rows with their room around them; a ground reaches from edge to edge. */
export function surround(rows: readonly string[], around: Surroundings): string[] {
	const { width, paddingX, paddingY, ground } = around;
	const margin = spaces(Math.min(paddingX, width - 1));
	const placed = rows.map((row) => {
		const line = margin + row;
		return ground ? onGround(line + spaces(width - visibleWidth(line)), ground) : line;
	});
	const blank = ground ? ground(spaces(width)) : "";
	const edge = Array.from({ length: cells(paddingY) }, () => blank);
	return [...edge, ...placed, ...edge];
}

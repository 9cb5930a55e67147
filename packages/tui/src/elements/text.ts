/** Text that is wrapped to the width, with padding and a background. */
import type { Component } from "../component.ts";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../text.ts";
import { cells, spaces } from "./rows.ts";

export type Paint = (text: string) => string;

export class Text implements Component {
	#text: string;
	readonly #paddingX: number;
	readonly #paddingY: number;
	#ground: Paint | undefined;
	#drawn: { width: number; rows: string[] } | undefined;
	/** The rows of complete lines, with which a text that grows begins. */
	#known: { text: string; width: number; rows: readonly string[] } = { text: "", width: 0, rows: [] };

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
		this.invalidate();
	}

	invalidate(): void {
		this.#drawn = undefined;
		this.#known = { text: "", width: 0, rows: [] };
	}

	render(width: number): string[] {
		if (this.#drawn?.width !== width) this.#drawn = { width, rows: this.#draw(width) };
		return this.#drawn.rows;
	}

	#draw(width: number): string[] {
		// An empty text takes no space.
		if (this.#text.trim() === "") return [];
		const edge = surround([], this.#around(width, this.#paddingY)).slice(0, this.#paddingY);
		return [...edge, ...this.#rows(width), ...edge];
	}

	#rows(width: number): string[] {
		// Wrapped as one text: a color that is open at the end of a line continues in the next, and `\r\n` is one end.
		if (/[\x1b\r]/.test(this.#text)) return this.#wrapped(this.#text, width);
		const { text } = this.#known;
		if (this.#known.width !== width || !this.#text.startsWith(text))
			this.#known = { text: "", width, rows: [] };
		const start = this.#known.text.length;
		const end = this.#text.lastIndexOf("\n") + 1;
		if (end > start) {
			const more = this.#wrapped(this.#text.slice(start, end - 1), width);
			this.#known = { text: this.#text.slice(0, end), width, rows: [...this.#known.rows, ...more] };
		}
		return [...this.#known.rows, ...this.#wrapped(this.#text.slice(end), width)];
	}

	#wrapped(text: string, width: number): string[] {
		const inner = innerWidth(width, this.#paddingX);
		// A character may be wider than the available space.
		const rows = wrapTextWithAnsi(text, inner).map((row) => truncateToWidth(row, inner));
		return surround(rows, this.#around(width, 0));
	}

	#around(width: number, paddingY: number): Surroundings {
		return { width, paddingX: this.#paddingX, paddingY, ground: this.#ground };
	}
}

export interface Surroundings {
	width: number;
	paddingX: number;
	paddingY: number;
	ground?: Paint | undefined;
}

/** The width of the content; at least one cell. */
export function innerWidth(width: number, paddingX: number): number {
	return Math.max(1, width - 2 * paddingX);
}

/** Rows with padding around them; a background reaches from edge to edge. */
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

const style = /\x1b\[([0-9;:]*)m/g;
/** A placeholder for the row, to find out how a background begins. */
const placeholder = "\0";

/** Puts a background behind a row without holes where the row ends a color of its own. */
export function onGround(row: string, ground: Paint): string {
	if (!row.includes("\x1b[")) return ground(row);
	const [open = ""] = ground(placeholder).split(placeholder, 1);
	return ground(row.replaceAll(style, (sgr, body: string) => (endsGround(body) ? sgr + open : sgr)));
}

/**
 * True if no background is left after these parameters: the last one about it is a reset or the terminal's default.
 */
function endsGround(body: string): boolean {
	const parameters = body.split(";");
	let ends = false;
	for (let at = 0; at < parameters.length; at++) {
		const parameter = parameters[at] ?? "";
		const code = Number.parseInt(parameter === "" ? "0" : parameter, 10);
		if (code === 0 || code === 49) ends = true;
		else if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) ends = false;
		// The numbers of a color are not codes of their own.
		const isColor = code === 38 || code === 48 || code === 58;
		if (isColor && !parameter.includes(":")) at += parameters[at + 1] === "2" ? 4 : 2;
	}
	return ends;
}

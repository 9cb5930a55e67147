/** The Markdown component, which also shows a streaming text. */
import { cutUnits } from "@tau/utils";

import type { Scrolled } from "../component.ts";
import { surround } from "../elements/text.ts";
import { truncateToWidth, visibleWidth } from "../text.ts";
import { Layout } from "./layout.ts";
import { markdownLimits } from "./limits.ts";
import { Source } from "./source.ts";
import {
	lookOf,
	type DefaultTextStyle,
	type Look,
	type MarkdownOptions,
	type MarkdownTheme,
} from "./theme.ts";

export class Markdown implements Scrolled {
	readonly #paddingX: number;
	readonly #paddingY: number;
	readonly #look: Look;
	readonly #style: DefaultTextStyle;
	#text = "";
	/** The end of the text that is not parsed yet. */
	#unread = "";
	/** True if it was appended in pieces and never released: what is there of it is drawn before the rest is read. */
	#isStreamed = false;
	/** The parsed text; parsed again if it is needed after it was released. */
	#source: Source | undefined;
	/** True while the text is streaming. */
	#isStreaming = false;
	#layout: Layout | undefined;
	#width = 0;
	#isDrawn = false;
	/** How many rows there were when they were released, and at which width. */
	#shown = { width: 0, rows: 0 };
	/** The padded rows: the settled ones, then those of the end. */
	#rows: string[] = [];
	#settled = 0;
	/** The rows of the end before and after padding: most of them are the same from frame to frame. */
	#tail: { from: readonly string[]; to: readonly string[] } = { from: [], to: [] };

	constructor(
		text: string,
		paddingX: number,
		paddingY: number,
		theme: MarkdownTheme,
		defaultTextStyle: DefaultTextStyle = {},
		options: MarkdownOptions = {},
	) {
		this.#paddingX = paddingX;
		this.#paddingY = paddingY;
		this.#style = defaultTextStyle;
		this.#look = lookOf(theme, defaultTextStyle, options);
		this.setText(text);
	}

	/** Sets the whole text; if it begins with the current text, only the rest is parsed. */
	setText(text: string): void {
		if (text === this.#text && !this.#isStreaming) return;
		const isMore = text.startsWith(this.#text);
		if (isMore) this.#unread += text.slice(this.#text.length);
		else {
			this.#source = this.#layout = undefined;
			this.#shown = { width: 0, rows: 0 };
			this.#unread = text;
			this.#isStreamed = false;
		}
		this.#text = text;
		this.#isStreaming = false;
		this.#isDrawn = false;
	}

	/** Appends text; until `end`, an unfinished construct at its end is shown as what it will most likely become. */
	append(delta: string): void {
		this.#unread += delta;
		this.#text += delta;
		this.#isStreaming = this.#isStreamed = true;
		this.#isDrawn = false;
	}

	/** Ends the text. */
	end(): void {
		this.#isStreaming = false;
		this.#isDrawn = false;
	}

	isFinal(): boolean {
		return !this.#mayGrow;
	}

	/** Some of a text that comes faster than it can be laid out, or that is very long, is left for the next frames. */
	isBehind(): boolean {
		return this.#layout !== undefined && (this.#unread !== "" || this.#layout.isBehind);
	}

	/** More of it is coming, or to be laid out. */
	get #mayGrow(): boolean {
		return this.#isStreaming || this.isBehind();
	}

	/** Releases everything that was drawn: a long conversation has very many of these components. */
	invalidate(): void {
		this.#shown = { width: this.#width, rows: this.#rows.length };
		const isWhole = !this.#mayGrow;
		this.#layout = undefined;
		this.#isDrawn = false;
		this.#rows = [];
		this.#settled = 0;
		this.#tail = { from: [], to: [] };
		if (!isWhole) return;
		this.#source = undefined;
		this.#unread = this.#text;
		this.#isStreamed = false;
	}

	/** All of it, however long that takes. */
	render(width: number): string[] {
		this.#draw(width, Number.POSITIVE_INFINITY);
		return [...this.#rows];
	}

	rowCount(width: number): number {
		// Rows that were shown at this width may be in the history already: they are not missing for a while.
		const known = this.#shown.width === width ? this.#shown.rows : 0;
		do this.#draw(width, markdownLimits.frameChars);
		while (this.isBehind() && this.#rows.length < known);
		return this.#rows.length;
	}

	rows(width: number, from: number, to: number): string[] {
		this.#need(width);
		return this.#rows.slice(from, to);
	}

	/** The number of rows that will not change at this width, whatever text follows. */
	settledRows(width: number): number {
		this.#need(width);
		return this.#mayGrow ? this.#settled : this.#rows.length;
	}

	liveFrom(width: number): number {
		return this.settledRows(width);
	}

	/** The rows were counted before; if they have been released since, all of them are laid out again. */
	#need(width: number): void {
		if (this.#width !== width || this.#layout === undefined) this.#draw(width, Number.POSITIVE_INFINITY);
	}

	/** Reads and lays out at most so many characters more. */
	#draw(width: number, most: number): void {
		const source = this.#read(this.#isStreamed ? most : most * markdownLimits.readFactor);
		if (this.#width !== width || this.#layout === undefined) {
			const inner = Math.max(1, width - 2 * this.#paddingX);
			this.#layout = new Layout(source, inner, this.#look);
			this.#rows = [];
			this.#settled = 0;
			this.#tail = { from: [], to: [] };
			this.#width = width;
		} else if (this.#isDrawn && !this.#layout.isOutdated && !this.#layout.isBehind) return;
		// A complete text is drawn when all of it has been read: a definition at its end applies to all of it.
		if (this.#unread !== "" && !this.#isStreamed) return;
		this.#layout.update(this.#isStreaming || this.#unread !== "", most);
		this.#isDrawn = true;
		this.#place(this.#layout);
	}

	/** Reads at most so many characters more. */
	#read(most: number): Source {
		this.#source ??= new Source();
		if (this.#unread === "") return this.#source;
		const part = this.#unread.length > most ? cutUnits(this.#unread, most) : this.#unread;
		this.#unread = this.#unread.slice(part.length);
		this.#source.append(part);
		this.#isDrawn = false;
		return this.#source;
	}

	/** Adds padding and background to rows that have none yet. */
	#place(layout: Layout): void {
		const { settled, tail } = layout;
		for (const { from, to } of layout.recolored) {
			const rows = this.#around(settled.slice(from, to), 0);
			for (const [at, row] of rows.entries()) this.#rows[this.#paddingY + from + at] = row;
		}
		if (layout.kept < Number.POSITIVE_INFINITY)
			this.#settled = layout.kept === 0 ? 0 : layout.kept + this.#paddingY;
		layout.kept = Number.POSITIVE_INFINITY;
		const edge =
			this.#settled > 0 || settled.length + tail.length === 0 ? [] : this.#around([], this.#paddingY);
		this.#rows.length = this.#settled;
		this.#rows.push(...edge);
		const known = Math.max(0, this.#settled - this.#paddingY);
		for (const row of this.#around(settled.slice(known), 0)) this.#rows.push(row);
		if (settled.length > 0) this.#settled = this.#rows.length;
		if (settled.length + tail.length === 0) return;
		this.#tail = { from: tail, to: this.#placedTail(tail) };
		this.#rows.push(...this.#tail.to, ...this.#around([], this.#paddingY));
	}

	#placedTail(tail: readonly string[]): string[] {
		const before = this.#tail;
		let same = 0;
		while (same < tail.length && tail[same] === before.from[same]) same++;
		return [...before.to.slice(0, same), ...this.#around(tail.slice(same), 0)];
	}

	#around(rows: readonly string[], paddingY: number): string[] {
		const width = this.#width;
		const room = Math.max(1, width - Math.min(this.#paddingX, Math.max(0, width - 1)));
		// A single character may be wider than a very narrow row; wider ones were wrapped to fit.
		const isNarrow = room < markdownLimits.narrowCells;
		const fitting = isNarrow
			? rows.map((row) => (visibleWidth(row) > room ? truncateToWidth(row, room, "") : row))
			: rows;
		const ground = this.#style.bgColor;
		const edge = { width, paddingX: this.#paddingX, ground };
		if (paddingY === 0) return surround(fitting, { ...edge, paddingY: 0 });
		return surround([" "], { ...edge, paddingY }).slice(0, paddingY);
	}
}

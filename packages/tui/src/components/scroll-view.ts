/** A scrollable window on many rows, with a scroll bar. */
import { isFocusable, type Component, type Focusable } from "../component.ts";
import { getKeybindings, matchesKey } from "../input/index.ts";
import type { Theme } from "../theme/index.ts";
import { cells, filled } from "../elements/rows.ts";

export interface ScrollViewOptions {
	/** The number of visible rows; a function is called in every frame. */
	height: number | (() => number);
	/** Starts at the end and stays there while the content grows, until the user scrolls up. */
	follow?: boolean;
}

/** A component that can draw a range of its rows. */
interface ByRange {
	rowCount(width: number): number;
	rows(width: number, from: number, to: number): string[];
}

/** With less width, the bar is not worth its space. */
const leastWidth = 4;
const barCells = 2;

export class ScrollView implements Component, Focusable {
	readonly children: readonly Component[];
	readonly #content: Component;
	readonly #theme: Theme;
	readonly #height: () => number;
	readonly #follows: boolean;
	#top = 0;
	#isAtEnd: boolean;
	/** The state of the last frame, which the keys refer to. */
	#seen = { count: 0, height: 1 };

	constructor(content: Component, theme: Theme, { height, follow = false }: ScrollViewOptions) {
		this.children = [content];
		this.#content = content;
		this.#theme = theme;
		this.#height = typeof height === "number" ? () => height : height;
		this.#follows = follow;
		this.#isAtEnd = follow;
	}

	/** The first visible row. */
	get top(): number {
		return this.#topOf(this.#seen);
	}

	/** True if there is more than is visible at once. */
	get isScrollable(): boolean {
		return this.#seen.count > this.#seen.height;
	}

	/** True if nothing follows below. */
	get atEnd(): boolean {
		return this.top >= this.#seen.count - this.#seen.height;
	}

	get focused(): boolean {
		return isFocusable(this.#content) && this.#content.focused;
	}

	set focused(focused: boolean) {
		if (isFocusable(this.#content)) this.#content.focused = focused;
	}

	scrollTo(row: number): void {
		this.#top = Number.isNaN(row) ? 0 : Math.max(0, Math.min(row, this.#seen.count - this.#seen.height));
		this.#isAtEnd = this.#follows && this.#top >= this.#seen.count - this.#seen.height;
	}

	/** Scrolls towards the start when negative. */
	scrollBy(rows: number): void {
		this.scrollTo(this.top + rows);
	}

	invalidate(): void {
		this.#content.invalidate();
	}

	render(width: number): string[] {
		const height = Math.max(1, cells(this.#height()));
		const whole = this.#measure(width);
		if (whole.count <= height) {
			this.#seen = { count: whole.count, height };
			return whole.rows(0, whole.count);
		}
		const hasBar = width >= leastWidth;
		const room = hasBar ? width - barCells : width;
		const content = hasBar ? this.#measure(room) : whole;
		this.#seen = { count: content.count, height };
		const top = this.#topOf(this.#seen);
		const rows = content.rows(top, Math.min(content.count, top + height));
		return hasBar ? rows.map((row, at) => `${filled(row, room)} ${this.#bar(at, rows.length)}`) : rows;
	}

	/** Returns whether the key scrolls. */
	handleKey(data: string): boolean {
		const keys = getKeybindings();
		const page = Math.max(1, this.#seen.height - 1);
		if (keys.matches(data, "tui.select.up")) this.scrollBy(-1);
		else if (keys.matches(data, "tui.select.down")) this.scrollBy(1);
		else if (keys.matches(data, "tui.select.pageUp")) this.scrollBy(-page);
		else if (keys.matches(data, "tui.select.pageDown") || matchesKey(data, "space")) this.scrollBy(page);
		else if (matchesKey(data, "home")) this.scrollTo(0);
		else if (matchesKey(data, "end")) this.scrollTo(Number.POSITIVE_INFINITY);
		else return false;
		return true;
	}

	handleInput(data: string): void {
		if (!this.handleKey(data)) this.#content.handleInput?.(data);
	}

	#topOf({ count, height }: { count: number; height: number }): number {
		const last = Math.max(0, count - height);
		return this.#isAtEnd ? last : Math.min(this.#top, last);
	}

	#measure(width: number): { count: number; rows: (from: number, to: number) => string[] } {
		const content: Component & Partial<ByRange> = this.#content;
		if (content.rowCount !== undefined && content.rows !== undefined) {
			return {
				count: content.rowCount(width),
				rows: (from, to) => content.rows?.(width, from, to) ?? [],
			};
		}
		const all = content.render(width);
		return { count: all.length, rows: (from, to) => all.slice(from, to) };
	}

	/** The thumb is proportional to the visible part, and touches an end only when that end is visible. */
	#bar(row: number, height: number): string {
		const { count } = this.#seen;
		const length = Math.max(1, Math.round((height * height) / count));
		const free = height - length;
		const top = this.#topOf(this.#seen);
		const last = count - height;
		const exact = Math.round((free * top) / Math.max(1, last));
		const inside = Math.max(1, Math.min(free - 1, exact));
		const at = top === 0 ? 0 : top >= last ? free : free > 1 ? inside : exact;
		return row >= at && row < at + length ? this.#theme.fg("muted", "┃") : this.#theme.fg("borderMuted", "│");
	}
}

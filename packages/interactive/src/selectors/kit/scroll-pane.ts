/** A text in place of a list or of the editor: it scrolls, and Enter or Escape leads back. */
import {
	getKeybindings,
	hintLine,
	matchesKey,
	rawKeyHint,
	truncateToWidth,
	visibleWidth,
	type Theme,
} from "@tau/tui";

import { plain } from "./row.ts";
import type { PickerScreen } from "./spec.ts";
import type { Escaping } from "./stacked.ts";

/** The title, the hints, and what is below the editor. */
const besides = 4;

export interface ScrollPaneParts {
	title: string;
	/** All rows at this width. */
	rows(width: number, theme: Theme): readonly string[];
	/** What Escape does now, such as `back`. */
	leaves(): string;
	back(): void;
	/** The end is shown while the text grows, unless the user has scrolled up. */
	follows?: boolean;
	/** Rows that it takes at most; by default the whole screen. */
	mostRows?(): number;
}

export class ScrollPane implements Escaping {
	readonly #screen: PickerScreen;
	readonly #parts: ScrollPaneParts;
	#top = 0;
	#isAtEnd: boolean;
	#rows: { width: number; rows: readonly string[] } | undefined;
	focused = false;

	constructor(screen: PickerScreen, parts: ScrollPaneParts) {
		this.#screen = screen;
		this.#parts = parts;
		this.#isAtEnd = parts.follows ?? false;
	}

	wantsEscape(): boolean {
		return true;
	}

	/** The text or the theme may have changed. */
	invalidate(): void {
		this.#rows = undefined;
	}

	render(width: number): string[] {
		const theme = this.#screen.theme.current;
		const rows = this.#laid(width, theme);
		const page = this.#page;
		const last = Math.max(0, rows.length - page);
		this.#top = this.#isAtEnd ? last : Math.max(0, Math.min(this.#top, last));
		const shown = rows.slice(this.#top, this.#top + page);
		const place = rows.length > page ? ` ${this.#top + shown.length}/${rows.length} ` : "";
		const title = truncateToWidth(` ${plain(this.#parts.title)} `, Math.max(1, width - place.length - 4));
		const line = Math.max(0, width - visibleWidth(title) - place.length - 4);
		const rule = (cells: number): string => theme.fg("borderMuted", "─".repeat(cells));
		const hints = [
			...(rows.length > page ? [rawKeyHint(theme, "↑↓", "scroll")] : []),
			rawKeyHint(theme, "escape", this.#parts.leaves()),
		];
		return [
			rule(2) + theme.fg("accent", theme.bold(title)) + rule(line) + theme.fg("dim", place) + rule(2),
			...shown.map((row) => ` ${row}`),
			`   ${hintLine(theme, hints)}`,
		].map((row) => truncateToWidth(row, width));
	}

	handleInput(data: string): void {
		const keys = getKeybindings();
		if (keys.matches(data, "tui.select.cancel") || keys.matches(data, "tui.select.confirm"))
			return this.#parts.back();
		const before = this.#top;
		if (keys.matches(data, "tui.select.up")) this.#top--;
		else if (keys.matches(data, "tui.select.down")) this.#top++;
		else if (keys.matches(data, "tui.select.pageUp")) this.#top -= this.#page;
		else if (keys.matches(data, "tui.select.pageDown")) this.#top += this.#page;
		else if (matchesKey(data, "home")) this.#top = 0;
		else if (matchesKey(data, "end")) this.#top = this.#rows?.rows.length ?? 0;
		const last = Math.max(0, (this.#rows?.rows.length ?? 0) - this.#page);
		this.#isAtEnd = (this.#parts.follows ?? false) && this.#top >= last && this.#top >= before;
		this.#screen.requestRender();
	}

	get #page(): number {
		return Math.max(1, Math.min(this.#screen.rows, this.#parts.mostRows?.() ?? this.#screen.rows) - besides);
	}

	#laid(width: number, theme: Theme): readonly string[] {
		if (this.#rows?.width !== width)
			this.#rows = { width, rows: this.#parts.rows(Math.max(1, width - 2), theme) };
		return this.#rows.rows;
	}
}

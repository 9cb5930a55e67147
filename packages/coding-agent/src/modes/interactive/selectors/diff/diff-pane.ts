/** The diff of one file in place of the list: it scrolls, and the key that opened it leads back. */
import {
	DiffView,
	getKeybindings,
	hintLine,
	matchesKey,
	rawKeyHint,
	truncateToWidth,
	visibleWidth,
} from "@tau/tui";

import { plain } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";
import type { Escaping } from "../kit/stacked.ts";
import { limits } from "../limits.ts";

/** The title, the hints, and what is below the editor. */
const besides = 4;

export interface DiffPaneParts {
	path: string;
	diff: string;
	back(): void;
}

export class DiffPane implements Escaping {
	readonly #screen: PickerScreen;
	readonly #parts: DiffPaneParts;
	#top = 0;
	#rows: { width: number; rows: readonly string[] } | undefined;
	focused = false;

	constructor(screen: PickerScreen, parts: DiffPaneParts) {
		this.#screen = screen;
		this.#parts = parts;
	}

	wantsEscape(): boolean {
		return true;
	}

	/** The theme may have changed. */
	invalidate(): void {
		this.#rows = undefined;
	}

	render(width: number): string[] {
		const theme = this.#screen.theme.current;
		const rows = this.#laid(width);
		const page = this.#page;
		this.#top = Math.max(0, Math.min(this.#top, rows.length - page));
		const shown = rows.slice(this.#top, this.#top + page);
		const place = rows.length > page ? ` ${this.#top + shown.length}/${rows.length} ` : "";
		const title = truncateToWidth(` ${plain(this.#parts.path)} `, Math.max(1, width - place.length - 4));
		const line = Math.max(0, width - visibleWidth(title) - place.length - 4);
		const rule = (cells: number): string => theme.fg("borderMuted", "─".repeat(cells));
		const hints = [rawKeyHint(theme, "↑↓", "scroll"), rawKeyHint(theme, "escape", "back")];
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
		if (keys.matches(data, "tui.select.up")) this.#top--;
		else if (keys.matches(data, "tui.select.down")) this.#top++;
		else if (keys.matches(data, "tui.select.pageUp")) this.#top -= this.#page;
		else if (keys.matches(data, "tui.select.pageDown")) this.#top += this.#page;
		else if (matchesKey(data, "home")) this.#top = 0;
		else if (matchesKey(data, "end")) this.#top = this.#rows?.rows.length ?? 0;
		this.#screen.requestRender();
	}

	get #page(): number {
		return Math.max(1, this.#screen.rows - besides);
	}

	#laid(width: number): readonly string[] {
		if (this.#rows?.width === width) return this.#rows.rows;
		// The title has the path already.
		const diff = this.#parts.diff.replace(/^--- .*\n\+\+\+ .*\n/, "");
		const all = new DiffView(diff, this.#screen.theme.current).render(Math.max(1, width - 2));
		const rows = all.slice(0, limits.diffRows);
		if (all.length > rows.length) rows.push(`… ${all.length - rows.length} more rows`);
		this.#rows = { width, rows };
		return rows;
	}
}

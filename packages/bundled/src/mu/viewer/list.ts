/** The list of results: how each ended, what was called, how long it took; narrowed down by typing after `/`. */
import {
	fuzzyFilter,
	getKeybindings,
	Input,
	oneRow,
	truncateToWidth,
	visibleWidth,
	type Theme,
} from "@tau/tui";

import { duration } from "../format.ts";
import { limits } from "../limits.ts";
import { textOf, type ViewedResult } from "../results.ts";
import { edgeRows, framed } from "./frame.ts";
import { isBack, isOpen, letterOf, motionOf, moved } from "./keys.ts";
import type { Pane, Step, ViewerParts } from "./viewer.ts";

interface Row {
	index: number;
	described: string;
	result: ViewedResult;
}

export class ResultList implements Pane {
	readonly #theme: Theme;
	readonly #all: readonly Row[];
	#shown: readonly Row[];
	#selected = 0;
	#page = 1;
	/** Present while the user types a search. */
	#search: Input | undefined;
	#isTyping = false;

	constructor({ results, describe, theme }: ViewerParts) {
		this.#theme = theme;
		this.#all = results.map((result, index) => ({
			index,
			described: oneRow(describe(result.toolName, result.input)),
			result,
		}));
		this.#shown = this.#all;
	}

	/** The result of this number, where it is listed. */
	select(index: number): void {
		const at = this.#shown.findIndex((row) => row.index === index);
		if (at >= 0) this.#selected = at;
	}

	render(width: number, height: number): string[] {
		const searching = this.#search ? [this.#searchRow(this.#search, width)] : [];
		this.#page = Math.max(1, height - edgeRows - searching.length);
		const from = Math.max(
			0,
			Math.min(this.#selected - Math.floor(this.#page / 2), this.#shown.length - this.#page),
		);
		const rows = this.#shown
			.slice(from, from + this.#page)
			.map((row, at) => this.#row(row, from + at === this.#selected, width));
		const none = this.#shown.length === 0 ? [this.#theme.fg("muted", " No results match.")] : [];
		const note = this.#shown.length === 0 ? "" : `${this.#selected + 1}/${this.#shown.length}`;
		const hints = this.#isTyping
			? ["enter to browse", "esc to show all"]
			: ["enter open", "q close", "j/k move", "/ search", "g/G ends", "ctrl+d/u half a page"];
		return framed(
			{ title: "Tool results", note, hints, rows: [...searching, ...rows, ...none] },
			this.#theme,
			width,
			height,
		);
	}

	handle(data: string): Step | undefined {
		if (this.#isTyping && this.#search) return this.#type(data, this.#search);
		if (letterOf(data) === "/") {
			this.#search ??= new Input();
			this.#isTyping = true;
			this.#search.focused = true;
			return undefined;
		}
		if (isBack(data)) return this.#search ? this.#endSearch() : { to: "close" };
		const motion = motionOf(data);
		if (motion)
			this.#selected = moved(this.#selected, motion, Math.max(0, this.#shown.length - 1), this.#page);
		const row = this.#shown[this.#selected];
		return !motion && isOpen(data) && row ? { to: "detail", index: row.index } : undefined;
	}

	#type(data: string, search: Input): undefined {
		const keys = getKeybindings();
		if (keys.matches(data, "tui.select.confirm")) this.#isTyping = search.focused = false;
		else if (keys.matches(data, "tui.select.cancel")) this.#endSearch();
		else {
			search.handleInput(data);
			const text = search.getValue();
			this.#shown = text === "" ? this.#all : this.#matches(text);
			this.#selected = 0;
		}
	}

	/** Calls that fit, then results that contain the text. */
	#matches(text: string): readonly Row[] {
		const calls = fuzzyFilter([...this.#all], text, ({ described }) => described);
		const lower = text.toLowerCase();
		const contents = this.#all.filter(({ result }) => textOf(result.content).toLowerCase().includes(lower));
		return [...new Set([...calls, ...contents])];
	}

	#endSearch(): undefined {
		this.#search = undefined;
		this.#isTyping = false;
		this.#shown = this.#all;
		this.#selected = 0;
	}

	#searchRow(search: Input, width: number): string {
		const [row = ""] = search.render(Math.max(1, width - 1));
		return ` ${row}`;
	}

	#row({ described, result }: Row, isSelected: boolean, width: number): string {
		const theme = this.#theme;
		const sign = result.isError ? theme.fg("error", "✗") : theme.fg("success", "✓");
		const isLong = (result.duration ?? 0) >= limits.shownDurationMs;
		const time = isLong ? duration(result.duration ?? 0) : "";
		const room = Math.max(1, width - 4 - (time === "" ? 0 : visibleWidth(time) + 1));
		const what = truncateToWidth(described, room);
		const gap = " ".repeat(Math.max(0, room - visibleWidth(what)));
		const text = isSelected ? theme.fg("accent", what) : what;
		return `${isSelected ? theme.fg("accent", "❯") : " "} ${sign} ${text}${time === "" ? "" : `${gap} ${theme.fg("dim", time)}`}`;
	}
}

/** The keys for older prompts: up and down at the edges of the text, and the search. */
import { CURSOR_MARKER } from "../component.ts";
import { decodePrintableKey, type KeybindingsManager } from "../input/index.ts";
import { clusters } from "./clusters.ts";
import type { Editing } from "./editing.ts";
import { HistorySearch } from "./history-search.ts";
import { History } from "./history.ts";
import type { MarkedText } from "./marked-text.ts";
import type { Marker } from "./markers.ts";
import { cleanText } from "./text.ts";
import type { VerticalMotion } from "./vertical.ts";

/** The minimum width of the query and its caret; with less, everything else is left out. */
const leastQuery = 8;

export class HistoryKeys {
	readonly #history = new History();
	readonly #editing: Editing;
	readonly #text: MarkedText;
	readonly #vertical: VerticalMotion;
	#search: HistorySearch | undefined;
	/** The result of the last step; until another key, every arrow is another step. */
	#stepped: string | undefined;

	/** Undefined as long as there is nobody to ask. */
	readonly #earlier: () => readonly string[] | undefined;
	#hasEarlier = false;

	constructor(
		editing: Editing,
		text: MarkedText,
		vertical: VerticalMotion,
		earlier: () => readonly string[] | undefined,
	) {
		this.#earlier = earlier;
		this.#editing = editing;
		this.#text = text;
		this.#vertical = vertical;
	}

	get search(): HistorySearch | undefined {
		return this.#search;
	}

	add(text: string, markers: readonly Marker[]): void {
		this.#history.add(cleanText(text), markers);
	}

	/** Puts a prompt of the history into the editor, with its pastes as markers. */
	recall(text: string): void {
		this.#show(cleanText(text));
	}

	leave(): void {
		this.#history.leave();
		this.#search = undefined;
	}

	/** Handles up, down and the search key; false for all others. */
	handle(data: string, keys: KeybindingsManager): boolean {
		if (keys.matches(data, "tui.editor.historySearch")) {
			this.#load();
			this.#search = new HistorySearch(this.#history);
			return true;
		}
		const isUp = keys.matches(data, "tui.editor.cursorUp");
		if (!isUp && !keys.matches(data, "tui.editor.cursorDown")) return false;
		this.#editing.forgetLast();
		const isWalking = this.#history.isWalking && this.#stepped === this.#text.stamp();
		if (isWalking || !this.#vertical.move(isUp ? -1 : 1)) this.#step(isUp);
		return true;
	}

	/**
	 * Handles all keys while the search is open; false when it is not, or when the key ended it and has another
	 * meaning.
	 */
	handleSearch(data: string, keys: KeybindingsManager): boolean {
		const search = this.#search;
		if (search === undefined) return false;
		if (keys.matches(data, "tui.editor.historySearch") || keys.matches(data, "tui.editor.cursorUp"))
			search.older();
		else if (keys.matches(data, "tui.editor.cursorDown")) search.newer();
		else if (keys.matches(data, "tui.editor.deleteCharBackward")) search.erase();
		else if (keys.matches(data, "tui.select.cancel")) this.#search = undefined;
		else if (keys.matches(data, "tui.input.submit") || keys.matches(data, "tui.input.tab"))
			this.#accept(search);
		else {
			const text = decodePrintableKey(data) ?? (data.startsWith("\x1b") ? "" : cleanText(data));
			if (text === "") {
				this.#accept(search);
				return false;
			}
			search.type(text);
		}
		return true;
	}

	/** The search line, with the caret at its end; on a narrow screen the query comes first. */
	footer(width: number, isFocused: boolean, paint: (text: string) => string): string {
		const search = this.#search;
		if (search === undefined) return "";
		const [label, place] = ["history: ", ` ${search.place}`];
		const isNarrow = label.length + place.length + leastQuery > width;
		const room = width - 1 - (isNarrow ? 0 : label.length + place.length);
		const query = endWithin(search.query, room);
		const caret = `${isFocused ? CURSOR_MARKER : ""}\x1b[7m \x1b[27m`;
		return isNarrow ? query + caret : paint(label) + query + caret + paint(place);
	}

	#accept(search: HistorySearch): void {
		this.#search = undefined;
		if (search.shown !== undefined) this.#show(search.shown);
	}

	#load(): void {
		if (this.#hasEarlier) return;
		const earlier = this.#earlier();
		if (earlier === undefined) return;
		this.#hasEarlier = true;
		this.#history.addEarlier(earlier.map(cleanText));
	}

	#step(isUp: boolean): void {
		this.#load();
		const { buffer } = this.#editing;
		if (!isUp) {
			const newer = this.#history.newer();
			if (newer !== undefined) this.#show(newer);
			else buffer.moveTo(buffer.end);
		} else {
			const older = this.#history.older(buffer.text(), buffer.line(0).slice(0, buffer.caret.col));
			if (older !== undefined) this.#show(older);
			else if (!this.#history.isWalking) buffer.moveTo({ line: 0, col: 0 });
		}
		this.#stepped = this.#text.stamp();
	}

	#show(text: string): void {
		const { buffer } = this.#editing;
		const marked = this.#text.markers.mark(text, this.#history.pastesOf(text.trim()));
		buffer.replace({ line: 0, col: 0 }, buffer.end, marked);
		buffer.moveTo(buffer.end);
	}
}

/** As many of the last characters as fit. */
function endWithin(text: string, cells: number): string {
	let from = text.length;
	let used = 0;
	for (const cluster of clusters(text).toReversed()) {
		used += cluster.cells;
		if (used > cells) break;
		from = cluster.index;
	}
	return text.slice(from);
}

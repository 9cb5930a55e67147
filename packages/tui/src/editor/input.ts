/** A single-line field that scrolls sideways. */
import type { Component, Focusable } from "../component.ts";
import { decodePrintableKey, getKeybindings, isKeyRelease } from "../input/index.ts";
import { clusters } from "./clusters.ts";
import { Editing } from "./editing.ts";
import { PasteReader } from "./paste-reader.ts";
import { drawRow } from "./row-drawing.ts";
import { cleanLine } from "./text.ts";

const prompt = "> ";
/** A single-line field has no markers. */
const markerCells = (): number => 1;

export class Input implements Component, Focusable {
	readonly #editing = new Editing();
	readonly #pastes = new PasteReader();
	/** The first visible column. */
	#from = 0;

	focused = false;
	/** Shows a dot for each character. */
	isSecret = false;
	onSubmit?: ((value: string) => void) | undefined;
	onEscape?: (() => void) | undefined;

	getValue(): string {
		return this.#editing.buffer.text();
	}

	/** The caret goes to the end, where the user continues to write. */
	setValue(value: string): void {
		const { buffer } = this.#editing;
		buffer.replace({ line: 0, col: 0 }, buffer.end, cleanLine(value));
		buffer.moveTo(buffer.end);
	}

	invalidate(): void {
		// No cached state depends on the theme.
	}

	handleInput(data: string): void {
		if (isKeyRelease(data)) return;
		for (const part of this.#pastes.read(data)) {
			if ("paste" in part) this.#editing.insert(cleanLine(part.paste).trimEnd());
			else this.#key(part.input);
		}
	}

	render(width: number): string[] {
		const visiblePrompt = width > prompt.length ? prompt : "";
		const room = Math.max(1, width - visiblePrompt.length);
		const { buffer } = this.#editing;
		const text = buffer.line(0);
		const line = this.isSecret ? "•".repeat(text.length) : text;
		this.#scroll(line, buffer.caret.col, room);
		const style = { width: room, markerCells, label: String, isFocused: this.focused };
		const drawn = drawRow(line, { start: this.#from, end: line.length }, { caret: buffer.caret.col }, style);
		return [visiblePrompt + drawn.text + " ".repeat(Math.max(0, room - drawn.cells))];
	}

	#key(data: string): void {
		const keys = getKeybindings();
		if (keys.matches(data, "tui.select.cancel")) return this.onEscape?.();
		if (keys.matches(data, "tui.input.submit")) return this.onSubmit?.(this.getValue());
		if (this.#editing.handle(data, keys)) return;
		const text = decodePrintableKey(data) ?? (data.startsWith("\x1b") ? "" : cleanLine(data));
		if (text !== "" && data !== "\n") this.#editing.type(text);
	}

	/** Scrolls as little as needed to show the caret and its cell. */
	#scroll(line: string, caret: number, room: number): void {
		if (caret < this.#from || this.#from > line.length) this.#from = caret;
		const next = clusters(line.slice(caret))[0];
		let used = Math.min(room, Math.max(1, next?.cells ?? 1));
		let from = caret;
		// Backwards from the caret, as much as fits.
		for (const { index, cells } of clusters(line.slice(this.#from, caret)).toReversed()) {
			if (used + cells > room) break;
			used += cells;
			from = this.#from + index;
		}
		this.#from = Math.max(this.#from, from);
		if (this.#from > 0) this.#fill(line, room);
	}

	/** After text was cut at its end, no space is left empty while there is more to the left. */
	#fill(line: string, room: number): void {
		let used = 1;
		for (const { cells } of clusters(line.slice(this.#from))) used += cells;
		for (const { index, cells } of clusters(line.slice(0, this.#from)).toReversed()) {
			if (used + cells > room) return;
			used += cells;
			this.#from = index;
		}
	}
}

/** The text in the editor: its lines, the caret, and its undo history. */
import { snapForward } from "./clusters.ts";
import type { Position } from "./position.ts";
import { UndoLog, type EditKind } from "./undo-log.ts";

export class TextBuffer {
	readonly #undo = new UndoLog();
	#lines: string[] = [""];
	#caret: Position = { line: 0, col: 0 };
	#revision = 0;

	get lines(): readonly string[] {
		return this.#lines;
	}

	get caret(): Position {
		return this.#caret;
	}

	/** A new number after every change of the text. */
	get revision(): number {
		return this.#revision;
	}

	get end(): Position {
		const line = this.#lines.length - 1;
		return { line, col: this.line(line).length };
	}

	line(index: number): string {
		return this.#lines[index] ?? "";
	}

	text(): string {
		return this.#lines.join("\n");
	}

	textBetween(from: Position, to: Position): string {
		if (from.line === to.line) return this.line(from.line).slice(from.col, to.col);
		return [
			this.line(from.line).slice(from.col),
			...this.#lines.slice(from.line + 1, to.line),
			this.line(to.line).slice(0, to.col),
		].join("\n");
	}

	/** Moves the caret to the nearest valid position. */
	moveTo(position: Position): void {
		this.#undo.seal();
		this.#caret = this.#placed(position);
	}

	/** Replaces a range by `text`; the caret is after it. */
	replace(from: Position, to: Position, text: string, kind: EditKind = "step"): void {
		const removed = this.textBetween(from, to);
		if (removed === text) {
			this.#caret = this.#placed(to);
			return;
		}
		const before = this.#caret;
		const end = this.#splice(from, to, text);
		this.#caret = this.#placed(end);
		this.#undo.add({ kind, at: from, removed, inserted: text, before, end, after: this.#caret });
	}

	undo(): boolean {
		const edit = this.#undo.undo();
		if (edit === undefined) return false;
		this.#splice(edit.at, endOf(edit.at, edit.inserted), edit.removed);
		this.#caret = edit.before;
		return true;
	}

	redo(): boolean {
		const edit = this.#undo.redo();
		if (edit === undefined) return false;
		this.#splice(edit.at, endOf(edit.at, edit.removed), edit.inserted);
		this.#caret = edit.after;
		return true;
	}

	/** Starts over with an empty text and no undo history. */
	reset(): void {
		this.#lines = [""];
		this.#caret = { line: 0, col: 0 };
		this.#revision++;
		this.#undo.clear();
	}

	#placed({ line, col }: Position): Position {
		const at = Math.max(0, Math.min(line, this.#lines.length - 1));
		return { line: at, col: snapForward(this.line(at), col) };
	}

	/** Returns the end of the inserted text. */
	#splice(from: Position, to: Position, text: string): Position {
		const end = endOf(from, text);
		const whole = this.line(from.line).slice(0, from.col) + text + this.line(to.line).slice(to.col);
		this.#revision++;
		if (from.line === to.line && end.line === from.line) {
			this.#lines[from.line] = whole;
			return end;
		}
		// `splice` is not used: a long paste has more lines than a call may have arguments.
		this.#lines = [
			...this.#lines.slice(0, from.line),
			...whole.split("\n"),
			...this.#lines.slice(to.line + 1),
		];
		return end;
	}
}

/** The end of a text that begins at `at`. */
export function endOf(at: Position, text: string): Position {
	let lines = 0;
	let last = -1;
	for (let newline = text.indexOf("\n"); newline >= 0; newline = text.indexOf("\n", newline + 1)) {
		lines++;
		last = newline;
	}
	return lines === 0
		? { line: at.line, col: at.col + text.length }
		: { line: at.line + lines, col: text.length - last - 1 };
}

/** Vim's modes over the editor's text: what a key does in normal and visual mode. */
import { decodePrintableKey, matchesKey } from "../../input/index.ts";
import { nextEdge, previousEdge } from "../clusters.ts";
import { endOf, type TextBuffer } from "../text-buffer.ts";
import type { Editing } from "../editing.ts";
import { comparePositions, inOrder, type Position } from "../position.ts";
import { readCommand, type Command, type Operator } from "./command.ts";
import { findOf, motion, type Find, type Target } from "./motions.ts";
import { textObject, type Range } from "./objects.ts";
import { firstOnLine, kindAt } from "./walk.ts";

export type VimMode = "insert" | "normal" | "visual" | "visual-line";

export interface VimHost {
	readonly editing: Editing;
	/** Moves the caret down by displayed rows. */
	moveRows(rows: number): void;
}

export class Vim {
	readonly #host: VimHost;
	#mode: VimMode = "insert";
	#typed = "";
	#anchor: Position = { line: 0, col: 0 };
	#find: Find | undefined;
	/** The last text that was cut or copied by whole lines; other text is put inside a line. */
	#lines: string | undefined;

	constructor(host: VimHost) {
		this.#host = host;
	}

	get mode(): VimMode {
		return this.#mode;
	}

	/** The incomplete command, for display. */
	get pending(): string {
		return this.#typed;
	}

	/** The selection of visual mode, including the character under the caret. */
	get selection(): Range | undefined {
		if (this.#mode !== "visual" && this.#mode !== "visual-line") return undefined;
		const [from, last] = inOrder(this.#anchor, this.#buffer.caret);
		if (this.#mode === "visual-line")
			return { from: { line: from.line, col: 0 }, to: this.#lineEnd(last.line) };
		return { from, to: { line: last.line, col: nextEdge(this.#buffer.line(last.line), last.col) } };
	}

	/** True if Escape has a meaning here. */
	get takesEscape(): boolean {
		return this.#mode !== "normal" || this.#typed !== "";
	}

	/** Enters insert mode, as at the start of a new prompt. */
	reset(): void {
		this.#mode = "insert";
		this.#typed = "";
	}

	/** False for keys that the editor should handle as usual. */
	handle(data: string): boolean {
		if (matchesKey(data, "escape")) return this.#escape();
		if (this.#mode === "insert") return false;
		if (matchesKey(data, "ctrl+r")) {
			this.#buffer.redo();
			this.settle();
			return true;
		}
		if (matchesKey(data, "backspace")) return this.#type("h");
		const text = decodePrintableKey(data) ?? (data.startsWith("\x1b") ? undefined : data);
		if (text === undefined || /^[\0-\x1f\x7f]/.test(text)) {
			this.#typed = "";
			return false;
		}
		return this.#type(text === " " && this.#typed === "" ? "l" : text);
	}

	/** In normal mode the caret is on a character, not after the last. */
	settle(): void {
		if (this.#mode !== "normal") return;
		const { line, col } = this.#buffer.caret;
		const text = this.#buffer.line(line);
		if (col >= text.length && col > 0) this.#buffer.moveTo({ line, col: previousEdge(text, col) });
	}

	get #buffer(): TextBuffer {
		return this.#host.editing.buffer;
	}

	#escape(): boolean {
		if (!this.takesEscape) return false;
		const { line, col } = this.#buffer.caret;
		const wasWriting = this.#mode === "insert";
		this.#mode = "normal";
		this.#typed = "";
		if (wasWriting) this.#buffer.moveTo({ line, col: previousEdge(this.#buffer.line(line), col) });
		this.settle();
		return true;
	}

	#type(text: string): true {
		this.#typed += text;
		const command = readCommand(this.#typed, this.#mode !== "normal");
		if (command === "more") return true;
		this.#typed = "";
		if (this.#mode === "normal") this.#normal(command);
		else this.#visual(command);
		this.settle();
		return true;
	}

	#normal(command: Command): void {
		const { operator, what, count } = command;
		if (operator !== undefined) return this.#operate(operator, command);
		const shorthand = shorthands.get(what);
		if (shorthand !== undefined) return this.#operate(shorthand[0], { ...command, what: shorthand[1] });
		if (what === "j" || what === "k") return this.#host.moveRows(what === "j" ? count : -count);
		if (this.#move(command) || this.#enterInsert(what)) return;
		if (what === "v" || what === "V") return this.#select(what);
		if (what === "p" || what === "P") return this.#put(what === "p", count);
		if (what === "u") for (let done = 0; done < count; done++) this.#buffer.undo();
		else if (what === "J") this.#join(count);
		else if (what === "~" || what.startsWith("r")) this.#change(what, count);
	}

	#move(command: Command): boolean {
		const target = motion(this.#buffer.lines, this.#buffer.caret, command, this.#find);
		this.#find = findOf(command.what) ?? this.#find;
		if (target === undefined) return false;
		this.#buffer.moveTo(target.to);
		return true;
	}

	#enterInsert(what: string): boolean {
		const { caret } = this.#buffer;
		const places: Record<string, Position> = {
			i: caret,
			a: { line: caret.line, col: nextEdge(this.#buffer.line(caret.line), caret.col) },
			I: firstOnLine(this.#buffer.lines, caret.line),
			A: this.#lineEnd(caret.line),
			o: this.#lineEnd(caret.line),
			O: { line: caret.line, col: 0 },
		};
		const place = Object.hasOwn(places, what) ? places[what] : undefined;
		if (place === undefined) return false;
		this.#mode = "insert";
		this.#buffer.moveTo(place);
		if (what === "o" || what === "O") this.#buffer.replace(place, place, "\n");
		if (what === "O") this.#buffer.moveTo(place);
		return true;
	}

	#select(what: "v" | "V"): void {
		this.#anchor = this.#buffer.caret;
		this.#mode = what === "v" ? "visual" : "visual-line";
	}

	#visual(command: Command): void {
		const { what, count } = command;
		const selection = this.selection;
		if (selection === undefined) return;
		if (what === "v" || what === "V") {
			const mode = what === "v" ? "visual" : "visual-line";
			this.#mode = this.#mode === mode ? "normal" : mode;
		} else if (what === "o") {
			const caret = this.#buffer.caret;
			this.#buffer.moveTo(this.#anchor);
			this.#anchor = caret;
		} else if (/^[ia]./su.test(what)) {
			const range = textObject(this.#buffer.lines, this.#buffer.caret, what);
			if (range === undefined) return;
			const { line, col } = range.to;
			this.#anchor = range.from;
			this.#buffer.moveTo({ line, col: previousEdge(this.#buffer.line(line), col) });
		} else if (/^[dxcsy]$/.test(what)) this.#takeSelection(what, selection);
		else if (what === "j" || what === "k") this.#host.moveRows(what === "j" ? count : -count);
		else this.#move(command);
	}

	#takeSelection(what: string, selection: Range): void {
		const isLines = this.#mode === "visual-line";
		this.#mode = "normal";
		const operator = what === "y" ? "y" : what === "c" || what === "s" ? "c" : "d";
		if (isLines) this.#takeLines(operator, selection.from.line, selection.to.line);
		else this.#take(operator, selection);
	}

	#operate(operator: Operator, command: Command): void {
		const { what, count } = command;
		const { lines, caret } = this.#buffer;
		if (what === operator) {
			return this.#takeLines(operator, caret.line, Math.min(lines.length - 1, caret.line + count - 1));
		}
		const range = textObject(lines, caret, what);
		if (range !== undefined) return this.#take(operator, range);
		// Changing a word keeps the space after it.
		const isWordChange = operator === "c" && /^[wW]$/.test(what) && kindAt(lines, caret, false) !== "space";
		const actual = isWordChange ? { ...command, what: what === "w" ? "e" : "E" } : command;
		const target = motion(lines, caret, actual, this.#find);
		this.#find = findOf(what) ?? this.#find;
		if (target === undefined) return;
		if (target.reach === "lines") {
			const [first, last] = inOrder(caret, target.to);
			return this.#takeLines(operator, first.line, last.line);
		}
		this.#take(operator, this.#rangeTo(target, what));
	}

	#rangeTo({ to, reach }: Target, what: string): Range {
		const [from, end] = inOrder(this.#buffer.caret, to);
		if (reach === "inclusive") {
			return { from, to: { line: end.line, col: nextEdge(this.#buffer.line(end.line), end.col) } };
		}
		// A word motion that ends on another line applies only to the line that it began on.
		const isOver = /^[wW]$/.test(what) && end.line > from.line;
		return { from, to: isOver ? this.#lineEnd(end.line - 1) : end };
	}

	#take(operator: Operator, { from, to }: Range): void {
		if (comparePositions(from, to) > 0) return;
		this.#keep(this.#buffer.textBetween(from, to), false);
		if (operator !== "y") this.#buffer.replace(from, to, "");
		this.#buffer.moveTo(from);
		if (operator === "c") this.#mode = "insert";
	}

	#takeLines(operator: Operator, first: number, last: number): void {
		const from = { line: first, col: 0 };
		const to = this.#lineEnd(last);
		this.#keep(this.#buffer.textBetween(from, to), true);
		if (operator === "y") return this.#buffer.moveTo({ line: first, col: this.#buffer.caret.col });
		if (operator === "c") {
			this.#mode = "insert";
			return this.#buffer.replace(from, to, "");
		}
		const isToEnd = last + 1 >= this.#buffer.lines.length;
		if (!isToEnd) this.#buffer.replace(from, { line: last + 1, col: 0 }, "");
		else this.#buffer.replace(first === 0 ? from : this.#lineEnd(first - 1), to, "");
		this.#buffer.moveTo(firstOnLine(this.#buffer.lines, Math.min(first, this.#buffer.lines.length - 1)));
	}

	#keep(text: string, isLines: boolean): void {
		if (text === "" && !isLines) return;
		this.#lines = isLines ? text : undefined;
		this.#host.editing.kills.push(text, { prepend: false });
	}

	/** Puts text after the caret or before it; whole lines below or above. */
	#put(isAfter: boolean, count: number): void {
		const newest = this.#host.editing.kills.peek();
		// Text that was cut since then with the editor's own keys is not a whole line.
		const isLines = this.#lines !== undefined && (this.#lines === newest || this.#lines === "");
		const text = isLines ? this.#lines : newest;
		if (text === undefined) return;
		const { line, col } = this.#buffer.caret;
		if (isLines) {
			const all = Array.from({ length: count }, () => text).join("\n");
			const at = isAfter ? this.#lineEnd(line) : { line, col: 0 };
			this.#buffer.replace(at, at, isAfter ? `\n${all}` : `${all}\n`);
			return this.#buffer.moveTo(firstOnLine(this.#buffer.lines, isAfter ? line + 1 : line));
		}
		const at = isAfter ? { line, col: nextEdge(this.#buffer.line(line), col) } : { line, col };
		const all = text.repeat(count);
		this.#buffer.replace(at, at, all);
		const end = endOf(at, all);
		this.#buffer.moveTo({ line: end.line, col: previousEdge(this.#buffer.line(end.line), end.col) });
	}

	#join(count: number): void {
		for (let done = 0; done < Math.max(1, count - 1); done++) {
			const { line } = this.#buffer.caret;
			if (line + 1 >= this.#buffer.lines.length) return;
			const end = this.#lineEnd(line);
			const start = firstOnLine(this.#buffer.lines, line + 1);
			this.#buffer.replace(end, start, end.col === 0 ? "" : " ");
			this.#buffer.moveTo(end);
		}
	}

	/** `r` and `~` replace characters in place. */
	#change(what: string, count: number): void {
		const { line, col } = this.#buffer.caret;
		const text = this.#buffer.line(line);
		let to = col;
		let clusters = 0;
		for (; clusters < count && to < text.length; clusters++) to = nextEdge(text, to);
		// As in vim, replacing more characters than there are replaces nothing.
		if (clusters === 0 || (what !== "~" && clusters < count)) return;
		const old = text.slice(col, to);
		const changed = what === "~" ? Array.from(old, swapped).join("") : what.slice(1).repeat(count);
		this.#buffer.replace({ line, col }, { line, col: to }, changed);
		if (what !== "~")
			this.#buffer.moveTo({ line, col: previousEdge(this.#buffer.line(line), col + changed.length) });
	}

	#lineEnd(line: number): Position {
		return { line, col: this.#buffer.line(line).length };
	}
}

/** Keys for an operator with its motion. */
const shorthands: ReadonlyMap<string, readonly [Operator, string]> = new Map([
	["x", ["d", "l"]],
	["X", ["d", "h"]],
	["s", ["c", "l"]],
	["S", ["c", "c"]],
	["D", ["d", "$"]],
	["C", ["c", "$"]],
	["Y", ["y", "y"]],
] as const);

function swapped(character: string): string {
	const upper = character.toUpperCase();
	return character === upper ? character.toLowerCase() : upper;
}

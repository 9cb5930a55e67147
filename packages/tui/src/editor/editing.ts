/** The edits and motions that every text field has: characters, words, lines, cuts, undo. */
import type { Keybinding, KeybindingsManager } from "../input/index.ts";
import { nextEdge, previousEdge } from "./clusters.ts";
import { TextBuffer } from "./text-buffer.ts";
import { limits } from "./limits.ts";
import { inOrder, type Position } from "./position.ts";
import { wordLeft, wordRight } from "./words.ts";

/** The texts that were cut, newest last, for yank and yank-pop. */
class KillRing {
	readonly #ring: string[] = [];

	get length(): number {
		return this.#ring.length;
	}

	/** `accumulate` joins successive cuts; `prepend` is for backward cuts. */
	push(text: string, { prepend, accumulate = false }: { prepend: boolean; accumulate?: boolean }): void {
		if (text === "") return;
		const last = accumulate ? this.#ring.pop() : undefined;
		this.#ring.push(last === undefined ? text : prepend ? text + last : last + text);
		if (this.#ring.length > limits.kills) this.#ring.shift();
	}

	peek(): string | undefined {
		return this.#ring.at(-1);
	}

	/** Moves the newest entry to the other end. */
	rotate(): void {
		const last = this.#ring.pop();
		if (last !== undefined) this.#ring.unshift(last);
	}

	entries(): readonly string[] {
		return this.#ring;
	}
}

/** The last action decides whether a cut is joined and whether a yank can be replaced. */
type Last = { did: "kill" } | { did: "yank"; from: Position };

export class Editing {
	readonly buffer = new TextBuffer();
	readonly kills = new KillRing();
	#last: Last | undefined;
	#jump: "forward" | "backward" | undefined;

	/** True if the next character is the target of a jump. */
	get isJumping(): boolean {
		return this.#jump !== undefined;
	}

	/** Runs the action of the key; false when none is bound here. */
	handle(data: string, keys: KeybindingsManager): boolean {
		for (const [id, run] of commands) {
			if (!keys.matches(data, id)) continue;
			const before = this.#last;
			this.#last = undefined;
			run(this, before);
			return true;
		}
		return false;
	}

	type(text: string): void {
		if (this.#jump !== undefined) return this.#jumpTo(text);
		this.insert(text, "type");
	}

	insert(text: string, kind: "type" | "step" = "step"): void {
		this.#last = undefined;
		this.buffer.replace(this.buffer.caret, this.buffer.caret, text, kind);
	}

	/** The next action neither joins a cut nor replaces a yank. */
	forgetLast(): void {
		this.#last = undefined;
		this.#jump = undefined;
	}

	startJump(direction: "forward" | "backward"): void {
		this.#jump = direction;
	}

	/** One cluster to the left, across the start of a line. */
	get left(): Position {
		const { line, col } = this.buffer.caret;
		if (col > 0) return { line, col: previousEdge(this.buffer.line(line), col) };
		return line > 0 ? this.#endOf(line - 1) : { line, col };
	}

	get right(): Position {
		const { line, col } = this.buffer.caret;
		if (col < this.buffer.line(line).length) return { line, col: nextEdge(this.buffer.line(line), col) };
		return line + 1 < this.buffer.lines.length ? { line: line + 1, col: 0 } : { line, col };
	}

	get wordLeft(): Position {
		const { line, col } = this.buffer.caret;
		if (col > 0) return { line, col: wordLeft(this.buffer.line(line), col) };
		return this.left;
	}

	get wordRight(): Position {
		const { line, col } = this.buffer.caret;
		if (col < this.buffer.line(line).length) return { line, col: wordRight(this.buffer.line(line), col) };
		return this.right;
	}

	get lineStart(): Position {
		return { line: this.buffer.caret.line, col: 0 };
	}

	get lineEnd(): Position {
		return this.#endOf(this.buffer.caret.line);
	}

	deleteTo(to: Position): void {
		const [from, end] = inOrder(this.buffer.caret, to);
		this.buffer.replace(from, end, "", "delete");
	}

	/** Cuts into the ring; successive cuts are joined. */
	killTo(to: Position, before: Last | undefined): void {
		const [from, end] = inOrder(to, this.buffer.caret);
		const text = this.buffer.textBetween(from, end);
		if (text === "") return;
		this.kills.push(text, { prepend: from === to, accumulate: before?.did === "kill" });
		this.buffer.replace(from, end, "");
		this.#last = { did: "kill" };
	}

	yank(): void {
		const text = this.kills.peek();
		if (text === undefined) return;
		const from = this.buffer.caret;
		this.buffer.replace(from, from, text);
		this.#last = { did: "yank", from };
	}

	/** Directly after a yank: replaces it by the previous cut. */
	yankPop(before: Last | undefined): void {
		if (before?.did !== "yank" || this.kills.length < 2) return;
		this.kills.rotate();
		this.buffer.replace(before.from, this.buffer.caret, this.kills.peek() ?? "");
		this.#last = before;
	}

	#endOf(line: number): Position {
		return { line, col: this.buffer.line(line).length };
	}

	#jumpTo(text: string): void {
		const step = this.#jump === "backward" ? -1 : 1;
		this.#jump = undefined;
		const { lines, caret } = this.buffer;
		for (let line = caret.line; line >= 0 && line < lines.length; line += step) {
			const here = lines[line] ?? "";
			const isFirst = line === caret.line;
			const from = step > 0 ? (isFirst ? caret.col + 1 : 0) : isFirst ? caret.col - 1 : here.length;
			// `lastIndexOf` treats a negative start as 0.
			const col = from < 0 ? -1 : step > 0 ? here.indexOf(text, from) : here.lastIndexOf(text, from);
			if (col >= 0) return this.buffer.moveTo({ line, col });
		}
	}
}

type Command = (editing: Editing, before: Last | undefined) => void;

const move =
	(to: (editing: Editing) => Position): Command =>
	(editing) =>
		editing.buffer.moveTo(to(editing));

const kill =
	(to: (editing: Editing) => Position): Command =>
	(editing, before) =>
		editing.killTo(to(editing), before);

/** At the end of a line the line break itself is cut, and likewise at its start. */
const toLineEnd = (editing: Editing): Position =>
	editing.buffer.caret.col === editing.lineEnd.col ? editing.right : editing.lineEnd;
const toLineStart = (editing: Editing): Position =>
	editing.buffer.caret.col === 0 ? editing.left : editing.lineStart;

const commands: readonly (readonly [Keybinding, Command])[] = [
	["tui.editor.cursorLeft", move((editing) => editing.left)],
	["tui.editor.cursorRight", move((editing) => editing.right)],
	["tui.editor.cursorWordLeft", move((editing) => editing.wordLeft)],
	["tui.editor.cursorWordRight", move((editing) => editing.wordRight)],
	["tui.editor.cursorLineStart", move((editing) => editing.lineStart)],
	["tui.editor.cursorLineEnd", move((editing) => editing.lineEnd)],
	["tui.editor.cursorTextStart", move(() => ({ line: 0, col: 0 }))],
	["tui.editor.cursorTextEnd", move((editing) => editing.buffer.end)],
	["tui.editor.deleteCharBackward", (editing) => editing.deleteTo(editing.left)],
	["tui.editor.deleteCharForward", (editing) => editing.deleteTo(editing.right)],
	["tui.editor.deleteWordBackward", kill((editing) => editing.wordLeft)],
	["tui.editor.deleteWordForward", kill((editing) => editing.wordRight)],
	["tui.editor.deleteToLineStart", kill(toLineStart)],
	["tui.editor.deleteToLineEnd", kill(toLineEnd)],
	["tui.editor.yank", (editing) => editing.yank()],
	["tui.editor.yankPop", (editing, before) => editing.yankPop(before)],
	["tui.editor.undo", (editing) => void editing.buffer.undo()],
	["tui.editor.redo", (editing) => void editing.buffer.redo()],
	["tui.editor.jumpForward", (editing) => editing.startJump("forward")],
	["tui.editor.jumpBackward", (editing) => editing.startJump("backward")],
];

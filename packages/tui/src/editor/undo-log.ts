/** Records the changes of a text step by step, for undo and redo. */
import { limits } from "./limits.ts";
import type { Position } from "./position.ts";

/** Successive `type` or `delete` edits at the same position are joined; a `step` stays separate. */
export type EditKind = "type" | "delete" | "step";

export interface Edit {
	readonly at: Position;
	readonly removed: string;
	readonly inserted: string;
	readonly before: Position;
	readonly after: Position;
}

interface Step extends Edit {
	readonly kind: EditKind;
	/** The end of the inserted text: text typed there is joined. */
	readonly end: Position;
}

export class UndoLog {
	#done: Step[] = [];
	#undone: Step[] = [];
	#chars = 0;
	#isOpen = false;

	add(step: Step): void {
		this.#undone = [];
		const last = this.#isOpen ? this.#done.at(-1) : undefined;
		const merged = last === undefined ? undefined : merge(last, step);
		if (merged !== undefined) this.#drop(this.#done.pop());
		const recorded = merged ?? step;
		this.#done.push(recorded);
		this.#chars += sizeOf(recorded);
		this.#isOpen = step.kind !== "step";
		while (
			this.#done.length > limits.undoSteps ||
			(this.#chars > limits.undoChars && this.#done.length > 1)
		) {
			this.#drop(this.#done.shift());
		}
	}

	/** The next change begins a new step: the caret was moved. */
	seal(): void {
		this.#isOpen = false;
	}

	undo(): Edit | undefined {
		const step = this.#done.pop();
		if (step !== undefined) this.#undone.push(step);
		this.#drop(step);
		this.#isOpen = false;
		return step;
	}

	redo(): Edit | undefined {
		const step = this.#undone.pop();
		if (step === undefined) return undefined;
		this.#done.push(step);
		this.#chars += sizeOf(step);
		this.#isOpen = false;
		return step;
	}

	clear(): void {
		this.#done = [];
		this.#undone = [];
		this.#chars = 0;
		this.#isOpen = false;
	}

	#drop(step: Step | undefined): void {
		if (step !== undefined) this.#chars -= sizeOf(step);
	}
}

function sizeOf({ removed, inserted }: Edit): number {
	return removed.length + inserted.length;
}

function merge(last: Step, next: Step): Step | undefined {
	if (last.kind !== next.kind || next.kind === "step") return undefined;
	if (next.kind === "type") {
		if (!same(last.end, next.at) || next.removed !== "") return undefined;
		// A step is about one word: text after a space begins the next one.
		if (/\s/.test(last.inserted.at(-1) ?? "") && /^\S/.test(next.inserted)) return undefined;
		return { ...last, inserted: last.inserted + next.inserted, end: next.end, after: next.after };
	}
	if (last.inserted !== "" || next.inserted !== "") return undefined;
	if (same(next.at, last.at)) return { ...last, removed: last.removed + next.removed, after: next.after };
	if (!same(next.before, last.at)) return undefined;
	return { ...next, removed: next.removed + last.removed, before: last.before };
}

function same(a: Position, b: Position): boolean {
	return a.line === b.line && a.col === b.col;
}

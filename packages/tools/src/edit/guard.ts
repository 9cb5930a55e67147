/** Judges a call of `edit` while its arguments stream: whether it can still succeed. */
import { IncrementalJson } from "@tau/ai";
import { editMode } from "../files/edit-mode.ts";
import { unify, unifyFor } from "../files/line-ends.ts";
import { LineText } from "../files/line-text.ts";
import type { ToolEnv } from "../tool/env.ts";
import { PatchGuard } from "./apply-patch/guard.ts";
import { fine, refused, type Verdict } from "./guard-verdict.ts";
import { named, stateOf } from "./hashline/form.ts";
import { reanchor } from "./hashline/reanchor.ts";
import { openForEdit } from "./plan.ts";
import { describeNearest } from "./replace/nearest.ts";
import { mayOccur } from "./replace/tolerant.ts";
import { existing, type FileProblem, type TextFile } from "@tau/sys";

/**
 * Arguments are judged by their complete values, in whatever order the keys come, and accepted while the outcome is
 * open: a call that the tool would accept is never refused. A value of a type that the tool would convert first is not
 * judged at all.
 */
export class StreamedEdit {
	readonly #env: ToolEnv;
	readonly #json = new IncrementalJson();
	readonly #patch: PatchGuard;
	/** How many edits of the call have been judged. */
	#judged = 0;

	constructor(env: ToolEnv) {
		this.#env = env;
		this.#patch = new PatchGuard(env);
	}

	/** Handles the next chunk of the arguments. */
	async push(delta: string): Promise<Verdict> {
		this.#json.push(delta);
		const mode = editMode(this.#env);
		if (mode === "apply_patch") return this.#judgePatch();
		// A value is complete when one of these has arrived: the file need not be checked for every character.
		if (!/[",}\]]/.test(delta)) return fine;
		const { path, tag, edits } = fieldsOf(this.#json.closedValue);
		if (typeof path !== "string" || !Array.isArray(edits)) return fine;
		if (mode === "replace") return this.#judgeReplace(path, edits);
		return typeof tag === "string" ? this.#judgeHashline(named({ path, tag }), edits) : fine;
	}

	#judgePatch(): Promise<Verdict> | Verdict {
		const { input } = fieldsOf(this.#json.value);
		if (typeof input !== "string") return fine;
		const isComplete = fieldsOf(this.#json.closedValue).input !== undefined;
		return this.#patch.judge(input, isComplete);
	}

	/** The text that an edit replaces must be in the file; how often depends on arguments that may still follow. */
	async #judgeReplace(path: string, edits: readonly unknown[]): Promise<Verdict> {
		for (const edit of edits.slice(this.#judged)) {
			const { oldText } = fieldsOf(edit);
			if (typeof oldText !== "string") return fine;
			const file = await this.#read(path);
			if (!file.ok) return refused(path, file.reason);
			const { unified, lines } = openForEdit(file);
			const sought = unifyFor(unified, oldText);
			if (!mayOccur(lines, sought)) {
				const near = describeNearest(lines, sought, "oldText");
				return refused(path, `oldText does not occur in ${path}. ${near}`.trimEnd());
			}
			this.#judged++;
		}
		return fine;
	}

	/** The lines that an edit names must be in the file, as they were when the model read them. */
	async #judgeHashline(
		{ path, tag }: { path: string; tag: string },
		edits: readonly unknown[],
	): Promise<Verdict> {
		for (const [index, edit] of edits.entries()) {
			if (index < this.#judged) continue;
			const isComplete = index < edits.length - 1;
			const range = rangeOf(edit);
			if (!range && !isComplete) return fine;
			const verdict = range ? await this.#judgeRange(path, tag, range, isComplete) : fine;
			if (!verdict.ok) return verdict;
			// The text after `from` may be a `to`.
			if (!isComplete) return fine;
			this.#judged++;
		}
		return fine;
	}

	async #judgeRange(path: string, tag: string, range: LineRange, isComplete: boolean): Promise<Verdict> {
		const file = await this.#read(path);
		if (!file.ok) return refused(path, file.reason);
		const { lines } = openForEdit(file);
		const { isFresh, seenText } = stateOf(this.#env, file, tag);
		const changed = refused(path, `${path} has changed since that tag: read it again.`);
		if (!isFresh && seenText === undefined) return changed;
		if (!isFresh && !isComplete && range.mayGrow) return fine;
		const now = isFresh ? range : reanchor(new LineText(unify(seenText ?? "").text), lines, range);
		if (!now) return changed;
		if (Math.max(now.start, now.end) <= lines.count) return fine;
		return refused(path, `${path} has only ${lines.count} lines.`);
	}

	async #read(path: string): Promise<TextFile | FileProblem> {
		const { machine, resolve } = this.#env;
		return existing(await machine.files.readText(path, resolve(path)));
	}
}

/** Lines from `start` to before `end`, from 0. */
interface LineRange {
	start: number;
	end: number;
	/** True if the end is missing, perhaps only so far. */
	mayGrow: boolean;
}

/** Undefined while no lines are named, or when a value is not a number: the tool may still coerce it to one. */
function rangeOf(edit: unknown): LineRange | undefined {
	const { from, to, after } = fieldsOf(edit);
	if ([from, to, after].some((value) => value !== undefined && typeof value !== "number")) return undefined;
	if (typeof after === "number") return { start: after, end: after, mayGrow: false };
	if (typeof from !== "number") return undefined;
	if (typeof to === "number") return { start: from - 1, end: to, mayGrow: false };
	return { start: from - 1, end: from, mayGrow: true };
}

function fieldsOf(value: unknown): Record<string, unknown> {
	return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

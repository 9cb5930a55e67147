/** The changes that an edit would make: planned completely before anything is written. */
import type { FileChange, TextFile } from "@tau/sys";

import {
	lineEndOf,
	spliced,
	splicedAsWritten,
	unify,
	type Splice,
	type UnifiedText,
} from "../files/line-ends.ts";
import { LineText } from "../files/line-text.ts";
import { everything, regionsOf, type Region } from "../files/unified-diff.ts";

export interface PlannedFile {
	readonly change: FileChange;
	/** The previous path of the file, when it moves. */
	readonly movedFrom?: string;
	/** Both states with plain line feeds, for the diff; a created or deleted file is empty on one side. */
	readonly before: LineText;
	readonly after: LineText;
	readonly regions: readonly Region[];
	/** The old path of a file that moves: it is reported with the new one. */
	readonly silent?: boolean;
	/** Notes for the model about how the edit was done. */
	readonly notes: readonly string[];
}

export interface PlanError {
	readonly ok: false;
	readonly reason: string;
}

export type Plan = { readonly ok: true; readonly files: readonly PlannedFile[] } | PlanError;

export function refuse(reason: string): PlanError {
	return { ok: false, reason };
}

/** A file that is open for an edit. */
export interface OpenFile {
	readonly file: TextFile;
	readonly unified: UnifiedText;
	readonly lines: LineText;
}

export function openForEdit(file: TextFile): OpenFile {
	const unified = unify(file.text);
	return { file, unified, lines: new LineText(unified.text) };
}

/** The splices are in order and do not overlap. */
export function planSplices(
	open: OpenFile,
	splices: readonly Splice[],
	notes: readonly string[],
): PlannedFile {
	const { file, unified, lines } = open;
	const after = new LineText(spliced(unified.text, splices));
	// A file may be large: if it has only line feeds, both texts are the same and are not built twice.
	const text = lineEndOf(unified) === "lf" ? after.text : splicedAsWritten(unified, splices);
	return {
		change: { before: file, after: { text, hasBom: file.hasBom } },
		before: lines,
		after,
		regions: regionsOf(lines, after, splices),
		notes,
	};
}

/** A change with only its two states; the old state of a moved file is at another path. */
export function planWhole(
	change: FileChange,
	notes: readonly string[],
	moved?: { from: string; text: string },
): PlannedFile {
	const before = new LineText(unify(moved?.text ?? change.before.text ?? "").text);
	const after = new LineText(unify(change.after?.text ?? "").text);
	return {
		change,
		before,
		after,
		regions: everything(before, after),
		notes,
		...(moved ? { movedFrom: moved.from } : {}),
	};
}

/** Finds the text that each edit replaces: as it is, or with small differences of whitespace. Loaded with the first edit. */
import { existing } from "@tau/sys";

import { refuseGenerated } from "../../files/generated.ts";
import { takeBothShown, takenNote } from "../../files/hidden-characters.ts";
import { unifyFor, type Splice } from "../../files/line-ends.ts";
import type { LineText } from "../../files/line-text.ts";
import type { ToolContext } from "../../tool/define-tool.ts";
import { limits } from "../limits.ts";
import { openForEdit, planSplices, refuse, type OpenFile, type Plan, type PlanError } from "../plan.ts";
import { exactOffsets, overlapping } from "./exact.ts";
import { fitExact, indentBefore } from "./fit-exact.ts";
import { describeNearest } from "./nearest.ts";
import { ignoredIndentation } from "./tolerance.ts";
import { tolerantMatch } from "./tolerant.ts";

interface Edit {
	oldText: string;
	newText: string;
	all?: boolean | undefined;
}

export async function planReplacements(
	{ path, edits }: { path: string; edits: readonly Edit[] },
	context: ToolContext,
): Promise<Plan> {
	const file = existing(await context.machine.files.readText(path, context.resolve(path)));
	if (!file.ok) return file;
	const generated = refuseGenerated(file);
	if (generated) return generated;
	const open = openForEdit(file);
	const splices: Splice[] = [];
	const notes = new Set<string>();
	for (const [index, edit] of edits.entries()) {
		const name = edits.length > 1 ? `edits[${index}].oldText` : "oldText";
		const found = await place(open, edit, name);
		if (!found.ok) return refuse(`${found.reason}\nNothing was changed.`);
		splices.push(...found.splices);
		for (const note of found.notes) notes.add(note);
	}
	splices.sort((a, b) => a.start - b.start || a.end - b.end);
	const twice = overlapping(splices);
	if (twice) {
		const line = open.lines.lineAt(twice.start);
		return refuse(`Two edits touch the same text in line ${line}. Combine them. Nothing was changed.`);
	}
	return { ok: true, files: [planSplices(open, splices, [...notes])] };
}

type Placed = { ok: true; splices: Splice[]; notes: string[] } | PlanError;

async function place(open: OpenFile, edit: Edit, name: string): Promise<Placed> {
	const { file, unified, lines } = open;
	const [oldText, newText] = [unifyFor(unified, edit.oldText), unifyFor(unified, edit.newText)];
	const given = placeText(open, { oldText, newText, all: edit.all, name });
	if (given) return given;
	// The old text may have been copied from the output of `read`.
	const [oldTaken, newTaken] = takeBothShown(oldText, newText) ?? [];
	if (oldTaken !== undefined && newTaken !== undefined) {
		const taken = placeText(open, { oldText: oldTaken, newText: newTaken, all: edit.all, name });
		if (taken) return taken.ok ? { ...taken, notes: [...taken.notes, takenNote] } : taken;
	}
	const near = describeNearest(lines, oldText, "oldText");
	return refuse(`${name} does not occur in ${file.shown}. ${near}`.trimEnd());
}

interface TextEdit {
	oldText: string;
	newText: string;
	all: boolean | undefined;
	/** The model's name for the old text. */
	name: string;
}

/** Returns undefined when the text is not in the file. */
function placeText(open: OpenFile, edit: TextEdit): Placed | undefined {
	const { file, lines } = open;
	const { oldText, newText, name } = edit;
	const all = exactOffsets(lines.text, oldText);
	const exact = edit.all ? all : wholeIndents(lines, all, oldText);
	if (exact.length === 1 || (exact.length > 1 && edit.all)) return placeExact(open, exact, edit);
	if (exact.length > 1) {
		const numbers = exact.map((start) => lines.lineAt(start));
		return refuse(
			`${name} occurs ${exact.length} times in ${file.shown}, ${inLines(numbers)}. ` +
				"Include more surrounding lines, or set `all`.",
		);
	}
	const match = tolerantMatch(lines, oldText, newText);
	if (!match) return undefined;
	if (match.splice) return { ok: true, splices: [match.splice], notes: [match.note] };
	const how = match.refused === "several" ? "occurs" : "occurs with different indentation";
	return refuse(
		`${name} does not occur in ${file.shown} as it is; ignoring whitespace it ${how} ${inLines(match.lines)}. ` +
			"Copy the lines as they are in the file.",
	);
}

function placeExact(
	{ file, lines }: OpenFile,
	starts: readonly number[],
	{ oldText, newText, name }: TextEdit,
): Placed {
	const fitted = starts.map((start) => fitExact(lines, start, oldText, newText));
	const splices = fitted.filter((splice) => splice !== undefined);
	if (splices.length < fitted.length) {
		const numbers = starts.map((start) => lines.lineAt(start));
		return refuse(
			`${name} occurs ${inLines(numbers)} of ${file.shown} with more indentation, so it is unclear how newText ` +
				"should be indented. Copy the lines with their full indentation.",
		);
	}
	return {
		ok: true,
		splices: splices.map(({ start, end, text }) => ({ start, end, text })),
		notes: splices.some(({ isIndented }) => isIndented) ? [ignoredIndentation.note] : [],
	};
}

/** A text that begins with blanks and matches at the start of lines is not matched inside longer indentation as well. */
function wholeIndents(lines: LineText, starts: readonly number[], oldText: string): readonly number[] {
	if (!/^[ \t]/.test(oldText)) return starts;
	const others = starts.filter((start) => indentBefore(lines, start) === "");
	const areWhole = others.every((start) => lines.start(lines.lineAt(start)) === start);
	return others.length > 0 && areWhole ? others : starts;
}

function inLines(numbers: readonly number[]): string {
	const shown = numbers.slice(0, limits.namedPlaces).join(", ");
	return `at ${numbers.length === 1 ? "line" : "lines"} ${shown}${numbers.length > limits.namedPlaces ? ", …" : ""}`;
}

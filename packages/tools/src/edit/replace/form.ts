/** Edits by replacing text that is found in the file. */
import { existing } from "@tau/sys";
import { z } from "zod";

import { refuseGenerated } from "../../files/generated.ts";
import { unifyFor, type Splice } from "../../files/line-ends.ts";
import type { LineText } from "../../files/line-text.ts";
import type { EditForm } from "../form.ts";
import { limits } from "../limits.ts";
import { openForEdit, planSplices, refuse, type OpenFile, type Plan, type Refusal } from "../plan.ts";
import { exactPlaces, overlapping } from "./exact.ts";
import { fitExact, indentBefore } from "./fit-exact.ts";
import { nearestMatch } from "./nearest.ts";
import prompt from "./prompt.md" with { type: "text" };
import { ignoredIndentation } from "./tolerance.ts";
import { tolerantMatch } from "./tolerant.ts";

const parameters = z.object({
	path: z.string().min(1),
	edits: z
		.array(
			z.object({
				oldText: z.string().min(1),
				newText: z.string(),
				all: z.boolean().optional().describe("replace every occurrence"),
			}),
		)
		.min(1)
		.max(limits.edits),
});

type Edit = z.infer<typeof parameters>["edits"][number];

export const replace: EditForm<typeof parameters> = {
	mode: "replace",
	prompt,
	parameters,
	async plan({ path, edits }, context): Promise<Plan> {
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
			if (found.note) notes.add(found.note);
		}
		splices.sort((a, b) => a.start - b.start || a.end - b.end);
		const twice = overlapping(splices);
		if (twice) {
			const line = open.lines.lineAt(twice.start);
			return refuse(`Two edits touch the same text in line ${line}: make them one. Nothing was changed.`);
		}
		return { ok: true, files: [planSplices(open, splices, [...notes])] };
	},
	subject: ({ path }) => path,
};

type Placed = { ok: true; splices: Splice[]; note?: string } | Refusal;

async function place({ file, unified, lines }: OpenFile, edit: Edit, name: string): Promise<Placed> {
	const oldText = unifyFor(unified, edit.oldText);
	const newText = unifyFor(unified, edit.newText);
	const all = exactPlaces(lines.text, oldText);
	const exact = edit.all ? all : wholeIndents(lines, all, oldText);
	if (exact.length === 1 || (exact.length > 1 && edit.all)) {
		const fitted = exact.map((start) => fitExact(lines, start, oldText, newText));
		if (fitted.some((splice) => splice === undefined)) {
			const numbers = exact.map((start) => lines.lineAt(start));
			return refuse(
				`${name} occurs ${inLines(numbers)} of ${file.shown} with more indentation, so it is unclear how newText ` +
					"is to be indented. Copy the lines with all of their indentation.",
			);
		}
		const splices = fitted.filter((splice) => splice !== undefined);
		return {
			ok: true,
			splices: splices.map(({ start, end, text }) => ({ start, end, text })),
			...(splices.some(({ isIndented }) => isIndented) ? { note: ignoredIndentation.note } : {}),
		};
	}
	if (exact.length > 1) {
		const numbers = exact.map((start) => lines.lineAt(start));
		return refuse(
			`${name} occurs ${exact.length} times in ${file.shown}, ${inLines(numbers)}. ` +
				"Take more lines around the one that is meant, or set `all`.",
		);
	}
	const match = tolerantMatch(lines, oldText, newText);
	if (match?.splice) return { ok: true, splices: [match.splice], note: match.note };
	if (match) {
		const how = match.refused === "several" ? "occurs" : "occurs with other indentation";
		return refuse(
			`${name} does not occur in ${file.shown} as it is; ignoring whitespace it ${how} ${inLines(match.lines)}. ` +
				"Copy the lines as they are in the file.",
		);
	}
	const near = nearestMatch(lines, oldText);
	return refuse(
		`${name} does not occur in ${file.shown}.` +
			(near ? ` The nearest is at line ${near.line}; - is oldText, + is the file:\n${near.diff}` : ""),
	);
}

/** A text that begins with blanks and fits the beginning of lines is not sought inside longer indentation as well. */
function wholeIndents(lines: LineText, places: readonly number[], oldText: string): readonly number[] {
	if (!/^[ \t]/.test(oldText)) return places;
	const others = places.filter((start) => indentBefore(lines, start) === "");
	const areWhole = others.every((start) => lines.start(lines.lineAt(start)) === start);
	return others.length > 0 && areWhole ? others : places;
}

function inLines(numbers: readonly number[]): string {
	const shown = numbers.slice(0, limits.namedPlaces).join(", ");
	return `at ${numbers.length === 1 ? "line" : "lines"} ${shown}${numbers.length > limits.namedPlaces ? ", …" : ""}`;
}

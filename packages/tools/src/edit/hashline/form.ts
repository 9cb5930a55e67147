/** Edits by line numbers that refer to one state of a file, which a tag identifies. */
import { existing, type TextFile } from "@tau/sys";
import { z } from "zod";

import { refuseGenerated } from "../../files/generated.ts";
import { fileTag, hashlineHeader, stripHashlines, textHash } from "../../files/hashline.ts";
import { hiddenIn, takenNote, takeShown } from "../../files/hidden-characters.ts";
import { unify, unifyFor } from "../../files/line-ends.ts";
import { LineText } from "../../files/line-text.ts";
import { snapshotsOf } from "../../files/snapshots.ts";
import type { ToolEnv } from "../../tool/env.ts";
import { editTouch } from "../../tool/touch.ts";
import type { EditForm } from "../form.ts";
import { limits } from "../limits.ts";
import { lineSplices, type LineChange } from "../line-splices.ts";
import { openForEdit, planSplices, refuse, type OpenFile, type Plan, type PlanError } from "../plan.ts";
import { excerpt } from "../report.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };
import { reanchor } from "./reanchor.ts";

const parameters = () =>
	z.object({
		path: z.string().min(1),
		tag: z.string().min(1).describe("TAG of the version the line numbers refer to"),
		edits: z
			.array(
				z.object({
					from: z.number().int().min(1).optional(),
					to: z.number().int().min(1).optional(),
					after: z.number().int().min(0).optional(),
					text: z.string(),
				}),
			)
			.min(1)
			.max(limits.edits),
	});

type Params = z.infer<ReturnType<typeof parameters>>;

export const hashline: EditForm<ReturnType<typeof parameters>> = {
	mode: "hashline",
	prompt,
	schema,
	parameters,
	async plan(params, context): Promise<Plan> {
		const { path, tag } = named(params);
		const file = existing(await context.machine.files.readText(path, context.resolve(path)));
		if (!file.ok) return file;
		const generated = refuseGenerated(file);
		if (generated) return generated;
		const open = openForEdit(file);
		const changes = lineChanges(params.edits, open);
		if (!Array.isArray(changes)) return changes;
		const { isFresh, seenText } = stateOf(context, file, tag);
		// The excerpt of a refusal shows the current state: its tag may be used next.
		if (!isFresh) snapshotsOf(context).record(file.target, file.text);
		const placed = isFresh ? changes : moveChanges(open, seenText, changes);
		if (!placed) return refuseStale(open, tag, changes);
		const beyond = placed.find(({ end, start }) => Math.max(end, start) > open.lines.count);
		if (beyond) return refuseBeyond(open, beyond);
		const meant = takeShownLines(open, placed);
		const notes = [
			...(isFresh ? [] : [`The file had changed since #${tag}; the lines were located again.`]),
			...(meant === placed ? [] : [takenNote]),
		];
		return { ok: true, files: [planSplices(open, lineSplices(open.lines, meant), notes)] };
	},
	touches: ({ path, tag = "" }, context) => editTouch(path && named({ path, tag }).path, context),
	subject: ({ path }) => path,
};

/** The state of a tag: whether it names the current text, and the text that it named if that is known. */
export function stateOf(
	env: ToolEnv,
	file: TextFile,
	tag: string,
): { isFresh: boolean; seenText: string | undefined } {
	const seen = snapshotsOf(env).find(file.target, tag);
	const isFresh = seen ? seen.hash === textHash(file.text) : tag === fileTag(file.text);
	return { isFresh, seenText: seen?.text };
}

/** Parses a header that was copied as a whole. */
export function named({ path, tag }: Pick<Params, "path" | "tag">): { path: string; tag: string } {
	const bare = tag.replace(/^.*#/, "").replace(/\]$/, "").toUpperCase();
	const copied = /^\[?(.*?)#[0-9A-Za-z]{4}\]?$/.exec(path);
	const isHeader = copied && path.replace(/\]$/, "").toUpperCase().endsWith(`#${bare}`);
	return { path: isHeader ? (copied[1] ?? path) : path, tag: bare };
}

function lineChanges(edits: Params["edits"], { unified }: OpenFile): LineChange[] | PlanError {
	const changes: LineChange[] = [];
	for (const [index, edit] of edits.entries()) {
		const change = lineChange(edit, linesOf(unifyFor(unified, edit.text)));
		if (typeof change === "string") return refuse(`edits[${index}]: ${change} Nothing was changed.`);
		changes.push(change);
	}
	changes.sort((a, b) => a.start - b.start || a.end - b.end);
	for (const [index, change] of changes.entries()) {
		const before = changes[index - 1];
		if (!before || change.start >= before.end) continue;
		return refuse(
			`Two edits touch line ${change.start + 1}. Combine them, or drop one. Nothing was changed.`,
		);
	}
	return changes;
}

function lineChange(
	{ from, to, after }: Params["edits"][number],
	lines: readonly string[],
): LineChange | string {
	if (after !== undefined) {
		if (from !== undefined || to !== undefined) return "give either `after` or `from`, not both.";
		if (lines.length === 0) return "an insertion needs `text`.";
		return { start: after, end: after, lines };
	}
	if (from === undefined) return "`from` (to replace) or `after` (to insert) is missing.";
	if (to !== undefined && to < from) return `\`to\` (${to}) is before \`from\` (${from}).`;
	return { start: from - 1, end: to ?? from, lines };
}

/** One newline at the end closes the last line, as in a file. */
function linesOf(text: string): string[] {
	if (text === "") return [];
	const bare = stripHashlines(text).text;
	return (bare.endsWith("\n") ? bare.slice(0, -1) : bare).split("\n");
}

/** The intended new lines, if they were copied from the output of `read`, with the characters of the replaced lines. */
function takeShownLines({ lines }: OpenFile, changes: readonly LineChange[]): readonly LineChange[] {
	const replaced = changes.flatMap(({ start, end }) => lines.lines(start + 1, end));
	const characters = hiddenIn(replaced.join("\n"));
	const meant = changes.map((change) => ({
		...change,
		lines: change.lines.map((line) => takeShown(line, characters)),
	}));
	return Bun.deepEquals(meant, changes) ? changes : meant;
}

function moveChanges(
	open: OpenFile,
	seen: string | undefined,
	changes: readonly LineChange[],
): LineChange[] | undefined {
	if (seen === undefined) return undefined;
	const before = new LineText(unify(seen).text);
	const moved: LineChange[] = [];
	for (const change of changes) {
		const anchor = reanchor(before, open.lines, change);
		if (!anchor || anchor.start < (moved.at(-1)?.end ?? 0)) return undefined;
		moved.push({ ...change, ...anchor });
	}
	return moved;
}

function refuseStale({ file, lines }: OpenFile, tag: string, changes: readonly LineChange[]): PlanError {
	const first = (changes[0]?.start ?? 0) + 1;
	const last = Math.max(first, changes.at(-1)?.end ?? first);
	const rows = excerpt(lines, Math.min(first, lines.count), Math.min(last, lines.count));
	return refuse(
		`${file.shown} is no longer at version #${tag}, and the lines of the edit cannot be located reliably. ` +
			`Nothing was changed. Now it reads:\n${header(file)}\n${rows}`,
	);
}

function refuseBeyond({ file, lines }: OpenFile, { start, end }: LineChange): PlanError {
	return refuse(
		`${file.shown} has ${lines.count} lines; line ${Math.max(start, end)} is past its end. Nothing was changed.\n` +
			`${header(file)}\n${excerpt(lines, lines.count, lines.count)}`,
	);
}

function header(file: TextFile): string {
	return hashlineHeader(file.shown, fileTag(file.text));
}

/** Judges an edit that is still being written: whether what it seeks can still be found. */
import type { EditMode } from "../files/edit-mode.ts";
import { fileTag } from "../files/hashline.ts";
import { unify } from "../files/line-ends.ts";
import { LineText } from "../files/line-text.ts";
import { parsePatch, type PatchSection } from "./apply-patch/parse.ts";
import { placeHunks, soughtBy } from "./apply-patch/place-hunks.ts";
import { Workspace } from "./apply-patch/workspace.ts";
import { reanchor } from "./hashline/reanchor.ts";
import { nearestMatch } from "./replace/nearest.ts";
import { tolerances } from "./replace/tolerance.ts";
import { placesOf } from "./replace/tolerant.ts";

/** What the guard may look at. */
export interface GuardFiles {
	resolve(path: string): string;
	/** What the file holds now; nothing where there is no text file. */
	text(path: string): string | undefined;
	/** What the model saw under a tag. */
	seen(path: string, tag: string): string | undefined;
}

export type Verdict = { ok: true } | { ok: false; path: string; reason: string };

const fine: Verdict = { ok: true };

/** The arguments are as far as they have come: the last text may be cut anywhere. In doubt it says yes. */
export async function canStillMatch(
	args: Readonly<Record<string, unknown>>,
	mode: EditMode,
	files: GuardFiles,
): Promise<Verdict> {
	if (mode === "apply_patch") {
		return typeof args.input === "string" ? judgePatch(args.input, files) : fine;
	}
	const { path, tag, edits } = args;
	// Only when the edits have begun is the path whole.
	if (typeof path !== "string" || !Array.isArray(edits)) return fine;
	const text = files.text(path);
	if (text === undefined) return { ok: false, path, reason: `There is no text file ${path}.` };
	const lines = new LineText(unify(text).text);
	if (mode === "replace") return judgeReplace(path, lines, edits);
	if (typeof tag !== "string") return fine;
	const isFresh = fileTag(text) === tag;
	return judgeHashline(path, lines, isFresh ? undefined : (files.seen(path, tag) ?? ""), edits);
}

async function judgeReplace(path: string, file: LineText, edits: readonly unknown[]): Promise<Verdict> {
	for (const [index, edit] of edits.entries()) {
		const oldText = fieldOf(edit, "oldText");
		if (typeof oldText !== "string") continue;
		const isWhole = index < edits.length - 1 || fieldOf(edit, "newText") !== undefined;
		const sought = unify(isWhole ? oldText : oldText.slice(0, oldText.lastIndexOf("\n") + 1)).text;
		if (sought === "" || file.text.includes(sought) || occursLoosely(file, sought.split("\n"))) continue;
		const near = nearestMatch(file, sought);
		const shown = near
			? ` The nearest is at line ${near.line}; - is oldText, + is the file:\n${near.diff}`
			: "";
		return { ok: false, path, reason: `oldText does not occur in ${path}.${shown}` };
	}
	return fine;
}

/** Whole lines, blank ones around them aside, with every tolerance there is. */
function occursLoosely(file: LineText, lines: readonly string[]): boolean {
	const first = lines.findIndex((line) => line.trim() !== "");
	if (first < 0) return true;
	const body = lines.slice(first, lines.findLastIndex((line) => line.trim() !== "") + 1);
	const loosest = tolerances.at(-1);
	return loosest === undefined || placesOf(file, body, loosest).length > 0;
}

/** `seen` is the text behind a tag that is not the present one; it is empty where nobody knows it. */
function judgeHashline(
	path: string,
	file: LineText,
	seen: string | undefined,
	edits: readonly unknown[],
): Verdict {
	const before = seen === undefined ? undefined : new LineText(unify(seen).text);
	for (const edit of edits) {
		// Numbers are whole when something follows them.
		if (fieldOf(edit, "text") === undefined) continue;
		const place = placeOf(edit);
		if (!place) continue;
		const found = before ? reanchor(before, file, place) : place;
		if (!found) return { ok: false, path, reason: `${path} has changed since that tag: read it again.` };
		if (Math.max(found.start, found.end) <= file.count) continue;
		return { ok: false, path, reason: `${path} has only ${file.count} lines.` };
	}
	return fine;
}

function placeOf(edit: unknown): { start: number; end: number } | undefined {
	const [from, to, after] = [fieldOf(edit, "from"), fieldOf(edit, "to"), fieldOf(edit, "after")];
	if (typeof after === "number") return { start: after, end: after };
	if (typeof from !== "number") return undefined;
	return { start: from - 1, end: typeof to === "number" ? to : from };
}

async function judgePatch(input: string, files: GuardFiles): Promise<Verdict> {
	const patch = parsePatch(input, { partial: true });
	if (!patch.ok) return { ok: false, path: "", reason: patch.reason };
	const workspace = new Workspace((path) => files.resolve(path));
	const last = patch.sections.at(-1);
	for (const section of patch.sections.slice(0, -1)) {
		const refused = await workspace.apply(section);
		if (refused) return { ok: false, path: section.path, reason: refused.reason };
	}
	return last ? judgeLast(workspace, last) : fine;
}

/** The section that is being written, and in it the hunk that is. */
async function judgeLast(workspace: Workspace, section: PatchSection): Promise<Verdict> {
	const { path } = section;
	if (section.kind !== "update") {
		const refused = await workspace.apply(section);
		return refused ? { ok: false, path, reason: refused.reason } : fine;
	}
	const text = workspace.text(path);
	if (typeof text !== "string") return { ok: false, path, reason: text.reason };
	const lines = new LineText(unify(text).text);
	const whole = section.hunks.slice(0, -1);
	const placed = await placeHunks(lines, path, whole);
	if (!placed.ok) return { ok: false, path, reason: placed.reason };
	const open = section.hunks.at(-1);
	const sought = open ? soughtBy(open.lines) : [];
	if (occursLoosely(lines, sought)) return fine;
	const near = nearestMatch(lines, sought.join("\n"));
	const shown = near
		? ` The nearest is at line ${near.line}; - is the patch, + is the file:\n${near.diff}`
		: "";
	return { ok: false, path, reason: `The hunk does not fit ${path}.${shown}` };
}

function fieldOf(value: unknown, name: string): unknown {
	return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

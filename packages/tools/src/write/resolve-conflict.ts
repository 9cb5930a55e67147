/** Replaces merge conflicts that were shown before by a text. */
import type { AgentToolResult, Touch } from "@tau/agent";
import { existing } from "@tau/sys";

import type { ToolContext, TouchContext } from "../tool/define-tool.ts";
import { conflictsOf, findConflicts, knownConflicts, type Conflict } from "../files/conflicts.ts";
import { editMode } from "../files/edit-mode.ts";
import { hashlineHeader } from "../files/hashline.ts";
import { splicedAsWritten, unify, unifyFor, type Splice } from "../files/line-ends.ts";
import { LineText } from "../files/line-text.ts";
import { snapshotsOf } from "../files/snapshots.ts";
import { errorResult, textResult } from "../tool/result.ts";

const sides = ["@ours", "@theirs", "@base", "@both"] as const;

/** The files whose conflicts a call would replace; undefined if it names none. */
export function conflictTouches(path: string | undefined, context: TouchContext): Touch[] | undefined {
	const which = /^conflict:\/\/(.*)$/s.exec(path ?? "")?.[1];
	if (which === undefined) return undefined;
	const meant = knownConflicts(context).filter(({ id }) => which === "*" || String(id) === which);
	return [...new Set(meant.map(({ absolute }) => absolute))].map((file) => ({ kind: "write", path: file }));
}

/** `which` is the part after `conflict://`: a number, or `*` for all. */
export async function resolveConflicts(
	which: string,
	content: string,
	context: ToolContext,
): Promise<AgentToolResult> {
	const known = conflictsOf(context);
	if (which.includes("/")) return errorResult(`conflict://${which} is read-only. Write to conflict://ID.`);
	const none = known.areResolved
		? "All conflicts that you read are resolved"
		: "Read a file with conflict markers first";
	if (which === "*" && known.all().length === 0) return errorResult(`No conflicts are known. ${none}.`);
	if (which === "*") return resolveAll(known.all(), content, context);
	const conflict = /^\d+$/.test(which) ? known.get(Number(which)) : undefined;
	if (!conflict) {
		const ids = known.all().map(({ id, path, line }) => `${id} (${path}:${line})`);
		const hint = ids.length === 0 ? none : `Known: ${ids.join(", ")}`;
		return errorResult(`There is no conflict ${which}. ${hint}.`);
	}
	return resolveAll([conflict], content, context);
}

async function resolveAll(
	conflicts: readonly Conflict[],
	content: string,
	context: ToolContext,
): Promise<AgentToolResult> {
	const files = Map.groupBy(conflicts, ({ absolute }) => absolute);
	const done: Resolved[] = [];
	const failed: string[] = [];
	for (const group of files.values()) {
		const outcome = await resolveFile(group, content, context);
		if (typeof outcome === "string") failed.push(outcome);
		else done.push(outcome);
	}
	const isHashline = editMode(context) === "hashline";
	const headers = isHashline ? done.map(({ path, tag }) => hashlineHeader(path, tag)) : [];
	const text = [
		...done.map(({ path, count, left }) => `Resolved ${plural(count)} in ${path}; ${left} left.`),
		...failed,
		...(headers.length > 1 ? ["Snapshots:", ...headers] : headers),
	].join("\n");
	const details = { resolved: done, failed: failed.length };
	return done.length === 0 ? errorResult(text, details) : textResult(text, details);
}

interface Resolved {
	path: string;
	count: number;
	left: number;
	tag: string;
}

/** Resolves the conflicts of one file; returns the reason when it cannot. */
async function resolveFile(
	conflicts: readonly Conflict[],
	content: string,
	context: ToolContext,
): Promise<Resolved | string> {
	const { path = "", absolute = "" } = conflicts[0] ?? {};
	const { files } = context.machine;
	const file = existing(await files.readText(path, absolute));
	if (!file.ok) return file.reason;
	const unified = unify(file.text);
	const lines = new LineText(unified.text);
	const splices: Splice[] = [];
	const taken = new Set<number>();
	for (const conflict of conflicts) {
		const replacement = replacementOf(conflict, unifyFor(unified, content));
		if (!replacement.ok) return `Conflict ${conflict.id}: ${replacement.reason}`;
		const start = placeOf(lines, conflict, taken);
		if (start === undefined) return `Conflict ${conflict.id} is no longer in ${path}. Read it again.`;
		taken.add(start);
		splices.push({ ...rangeOf(lines, start, conflict.lines.length), text: replacement.text });
	}
	splices.sort((a, b) => a.start - b.start);
	const text = splicedAsWritten(unified, splices);
	const done = await files.commit([{ before: file, after: { text, hasBom: file.hasBom } }], context);
	if (!done.ok) return done.reason;
	// The remaining conflicts have moved; they retain their numbers.
	const left = conflictsOf(context).record(path, absolute, unify(text).text).length;
	return { path, count: conflicts.length, left, tag: snapshotsOf(context).record(file.target, text) };
}

type Replacement = { ok: true; text: string } | { ok: false; reason: string };

function replacementOf(conflict: Conflict, content: string): Replacement {
	const side = sides.find((name) => content.trim() === name);
	if (side === undefined) {
		if (findConflicts(content).length > 0) {
			return { ok: false, reason: "the content still has conflict markers." };
		}
		return { ok: true, text: content === "" || content.endsWith("\n") ? content : `${content}\n` };
	}
	const { ours, theirs, base } = conflict;
	if (side === "@base" && !base) {
		return { ok: false, reason: "git did not record the common base." };
	}
	const lines = { "@ours": ours, "@theirs": theirs, "@base": base ?? [], "@both": [...ours, ...theirs] }[
		side
	];
	return { ok: true, text: lines.map((line) => `${line}\n`).join("") };
}

/** Returns the line, from 1, of the same conflict that is nearest to its earlier position. */
function placeOf(
	lines: LineText,
	{ line, lines: block }: Conflict,
	taken: ReadonlySet<number>,
): number | undefined {
	return findConflicts(lines.text)
		.filter((other) => !taken.has(other.line) && other.lines.join("\n") === block.join("\n"))
		.map((other) => other.line)
		.toSorted((a, b) => Math.abs(a - line) - Math.abs(b - line))[0];
}

function rangeOf(lines: LineText, start: number, count: number): { start: number; end: number } {
	return { start: lines.start(start), end: lines.start(start + count) };
}

function plural(count: number): string {
	return count === 1 ? "1 conflict" : `${count} conflicts`;
}

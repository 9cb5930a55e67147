/** Brings the changes of a tree into the project: unchanged files are replaced, changed ones merged line by line. */
import { rmdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { errorCode } from "@tau/utils";

import {
	problem,
	type AbsentFile,
	type FileChange,
	type FileProblem,
	type Machine,
	type TextFile,
	HeldDirectory,
} from "@tau/sys";
import { absentEntry, isSameEntry, readTreeEntry, statEntry, textOf } from "./entry.ts";
import { limits } from "./limits.ts";
import { mergeTexts } from "./three-way.ts";
import type {
	MergeConflict,
	MergedFile,
	MergeOptions,
	MergeOutcome,
	TreeChange,
	TreeEntry,
} from "./types.ts";

export interface MergeSource {
	/** The project, which the parent's machine sees under this path. */
	readonly root: string;
	readonly machine: Machine;
	readonly files: readonly TreeChange[];
	/** What the tree has at a path. */
	theirs(path: string): TreeEntry;
	/** What both sides began with; undefined if it is not known. */
	base(path: string): TreeEntry | undefined;
}

/** What becomes of one path. */
type Decision = { readonly entry: TreeEntry } | { readonly conflict: Omit<MergeConflict, "path"> } | "done";

export async function mergeTree(source: MergeSource, options: MergeOptions): Promise<MergeOutcome> {
	const refusals = new Refusals(options.refuse);
	for (let attempt = 1; ; attempt++) {
		const outcome = await mergeOnce(source, options, refusals);
		if (outcome !== "changed") return outcome;
		if (attempt >= limits.mergeAttempts) {
			const why = "Files of the project are being changed. Try again.";
			return { merged: [], conflicts: [], refused: [], problem: why };
		}
	}
}

/** What may not be merged. Nothing is asked about twice, unless the tree has changed it since. */
class Refusals {
	readonly #refuse: MergeOptions["refuse"];
	readonly #known = new Map<string, { after: TreeEntry; reason: string | undefined }>();

	constructor(refuse: MergeOptions["refuse"]) {
		this.#refuse = refuse;
	}

	async ask(files: readonly MergedFile[]): Promise<void> {
		const fresh = files.filter(({ path, after }) => {
			const known = this.#known.get(path);
			return !known || !isSameEntry(known.after, after);
		});
		if (!this.#refuse || fresh.length === 0) return;
		const refused = await this.#refuse(fresh);
		for (const { path, after } of fresh) this.#known.set(path, { after, reason: refused.get(path) });
	}

	/** A moved file is merged as a whole or not at all. */
	of(change: TreeChange): string | undefined {
		return pathsOf(change)
			.map((path) => this.#known.get(path)?.reason)
			.find((reason) => reason !== undefined);
	}
}

/** A moved file is two paths, which are decided about together. */
export function pathsOf({ path, renamedFrom }: TreeChange): string[] {
	return renamedFrom === undefined ? [path] : [path, renamedFrom];
}

async function mergeOnce(
	source: MergeSource,
	options: MergeOptions,
	refusals: Refusals,
): Promise<MergeOutcome | "changed"> {
	const conflicts: MergeConflict[] = [];
	const refused: MergeOutcome["refused"][number][] = [];
	const changes: FileChange[] = [];
	const merged: TreeChange[] = [];
	const ours = new Map<string, TreeEntry>();
	const decisions = source.files.map((change) => ({
		change,
		decided: pathsOf(change).map((path) => ({ path, decision: decide(source, path, ours) })),
	}));
	const written = decisions
		.flatMap(({ decided }) => decided)
		.flatMap(({ path, decision }): MergedFile[] => {
			if (decision === "done" || !("entry" in decision)) return [];
			const before = ours.get(path) ?? absentEntry;
			return [{ path, absolute: join(source.root, path), before, after: decision.entry }];
		});
	await refusals.ask(written);
	for (const { change, decided } of decisions) {
		const reason = refusals.of(change);
		if (reason !== undefined) {
			refused.push({ path: change.path, reason });
			continue;
		}
		const colliding = decided.flatMap(({ path, decision }) =>
			typeof decision === "object" && "conflict" in decision ? [{ path, ...decision.conflict }] : [],
		);
		conflicts.push(...colliding);
		if (colliding.length > 0) continue;
		for (const { path, decision } of decided) {
			if (decision === "done" || !("entry" in decision)) continue;
			const planned = await plan(source, path, decision.entry, ours.get(path));
			if (planned === "changed") return "changed";
			if ("ok" in planned) conflicts.push({ path, reason: planned.reason });
			else changes.push(planned);
		}
		merged.push(change);
	}
	const refusedPaths = new Set(conflicts.map(({ path }) => path));
	const clean = merged.filter(({ path }) => !refusedPaths.has(path));
	if (changes.length === 0) return { merged: clean, conflicts, refused };
	const { signal, toolCallId } = options;
	const done = await source.machine.files.commit(changes, { signal, toolCallId });
	if (!done.ok) {
		if (done.kind === "changed") return "changed";
		return { merged: [], conflicts, refused, problem: done.reason };
	}
	for (const change of clean) removeEmptied(source, change);
	return { merged: clean, conflicts, refused };
}

function decide({ root, ...source }: MergeSource, path: string, seen: Map<string, TreeEntry>): Decision {
	const theirs = source.theirs(path);
	const ours = readTreeEntry(join(root, path));
	seen.set(path, ours);
	if (isSameEntry(ours, theirs)) return "done";
	const other = [theirs, ours].find(({ kind }) => kind === "other");
	if (other?.kind === "other") return { conflict: { reason: `it is ${other.what}` } };
	const base = source.base(path);
	if (base && isSameEntry(base, ours)) return { entry: theirs };
	if (base && isSameEntry(base, theirs)) return "done";
	return mergeFiles(base, ours, theirs);
}

function mergeFiles(base: TreeEntry | undefined, ours: TreeEntry, theirs: TreeEntry): Decision {
	if (ours.kind === "absent")
		return { conflict: { reason: "the project has deleted it, the agent has changed it" } };
	if (theirs.kind === "absent")
		return { conflict: { reason: "the agent has deleted it, the project has changed it" } };
	const [old, mine, other] = [base && textOf(base), textOf(ours), textOf(theirs)];
	if (mine === undefined || other === undefined || ours.kind !== "file" || theirs.kind !== "file")
		return { conflict: { reason: "both have changed it, and it is not text" } };
	if (base?.kind !== "file" || old === undefined) {
		const reason = base?.kind === "absent" ? "both have created it" : "both have changed it";
		return { conflict: { reason, marked: cut(mergeTexts("", mine, other).text) } };
	}
	const { text, conflicts } = mergeTexts(old, mine, other);
	if (conflicts > 0) return { conflict: { reason: "both have changed the same lines", marked: cut(text) } };
	const mode = theirs.mode === base.mode ? ours.mode : theirs.mode;
	return { entry: { kind: "file", bytes: Buffer.from(text), mode } };
}

/** `changed` if the file is no longer the one that was decided about. */
async function plan(
	{ root, machine }: MergeSource,
	path: string,
	entry: TreeEntry,
	ours: TreeEntry | undefined,
): Promise<FileChange | FileProblem | "changed"> {
	const before = await beforeOf(machine, join(root, path), path);
	if (!before.ok) return before;
	if (before.target !== join(root, path)) return problem("special", "a directory of its path is a link");
	if (ours && !isSameEntry(readTreeEntry(join(root, path)), ours)) return "changed";
	if (entry.kind === "link") return { before, after: { text: "", hasBom: false, linkTarget: entry.target } };
	if (entry.kind !== "file") return { before };
	return { before, after: { text: "", hasBom: false, bytes: entry.bytes, mode: entry.mode, setMode: true } };
}

async function beforeOf(
	machine: Machine,
	absolute: string,
	shown: string,
): Promise<TextFile | AbsentFile | FileProblem> {
	return statEntry(absolute)
		? await machine.files.readEntry(shown, absolute)
		: await machine.files.readText(shown, absolute);
}

/** Directories that the agent has removed, if nothing else is in them. */
function removeEmptied({ root, theirs }: MergeSource, { path, kind, renamedFrom }: TreeChange): void {
	const gone = kind === "deleted" ? path : renamedFrom;
	if (gone === undefined) return;
	for (let at = dirname(gone); at !== "." && theirs(at).kind === "absent"; at = dirname(at)) {
		try {
			using above = HeldDirectory.open(dirname(join(root, at)));
			rmdirSync(above.at(basename(at)));
		} catch (error) {
			if (errorCode(error) === "ENOENT") continue;
			return;
		}
	}
}

function cut(text: string): string {
	return text.length <= limits.markedBytes ? text : `${text.slice(0, limits.markedBytes)}\n…`;
}

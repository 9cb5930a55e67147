/** Writes changes to the local disk: each file whole or not at all, and all of them or none. */
import { dirname } from "node:path";
import { invalidateScans } from "../walk/index.ts";
import { committedChanges, type CommittedChange, type FileChange } from "./change.ts";
import { Directories } from "./directories.ts";
import { lockFiles } from "./file-lock.ts";
import type { CommitOptions } from "./machine.ts";
import { problem, systemProblem, type FileProblem } from "./problem.ts";
import { publish, rollBack, type Published } from "./publish.ts";
import { clearStage, stage, type Staged } from "./stage.ts";
import { currentStamp, type AbsentFile, type TextFile } from "./text-file.ts";

export type Committed = { readonly ok: true; readonly changes: readonly CommittedChange[] } | FileProblem;

/** If another writer has changed a file since `before`, the outcome is `changed` and nothing is written. */
export async function commit(changes: readonly FileChange[], options: CommitOptions): Promise<Committed> {
	const { signal } = options;
	using directories = new Directories();
	const staged: Staged[] = [];
	const denied: { change: FileChange; why: FileProblem }[] = [];
	try {
		for (const change of changes) {
			const made = stage(change, directories);
			if (made.ok) staged.push(made);
			else if (made.kind === "denied") denied.push({ change, why: made });
			else return made;
		}
		using lock = await lockFiles(
			changes.map(({ before }) => before.target),
			signal,
		);
		if (!lock) return problem("failed", `Another process is writing ${names(changes)}. Try again.`);
		signal.throwIfAborted();
		// Fallbacks run first: their changes cannot be undone, and a denied change must fail before any file is touched.
		for (const { change, why } of denied) {
			if (!(await options.whenDenied?.(change, why.reason))) return why;
		}
		const failed = await finish(staged, directories, options);
		if (failed) return failed;
		const done = committedChanges(changes);
		for (const { before } of changes) invalidateScans(before.target);
		return { ok: true, changes: done };
	} finally {
		clearStage(staged, directories);
	}
}

async function finish(
	staged: readonly Staged[],
	directories: Directories,
	{ whenDenied }: CommitOptions,
): Promise<FileProblem | undefined> {
	for (const { change } of staged) {
		try {
			if (stampBefore(change.before) !== currentStamp(directories.at(change.before.target)))
				return changedMeanwhile(change);
		} catch (error) {
			return systemProblem(change.before.shown, "write", error);
		}
	}
	const done: Published[] = [];
	for (const one of staged) {
		try {
			done.push(publish(one, staged.length > 1, directories));
		} catch (error) {
			const why = systemProblem(one.change.before.shown, "write", error);
			if (why.kind === "denied" && (await whenDenied?.(one.change, error))) continue;
			const lost = rollBack(done);
			return lost.length === 0 ? why : problem("failed", `${why.reason} Not restored: ${lost.join(", ")}.`);
		}
	}
	for (const one of done) one.forget();
	return undefined;
}

function stampBefore(before: TextFile | AbsentFile): string | undefined {
	return before.text === undefined ? undefined : before.stamp;
}

/** The outcome of a commit whose file another writer changed after it was read. */
export function changedMeanwhile({ before }: FileChange): FileProblem {
	return problem("changed", `${before.shown} was changed by another program while it was being written.`);
}

function names(changes: readonly FileChange[]): string {
	const shown = changes.map(({ before }) => before.shown);
	return shown.length > 3 ? `files in ${dirname(shown[0] ?? "")}` : shown.join(", ");
}

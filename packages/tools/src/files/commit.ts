/** Brings changes of files to disk: each file whole or not at all, and all of them or none. */
import { dirname } from "node:path";

import { invalidateScans } from "@tau/sys";

import type { FileChange } from "./change.ts";
import { doElsewhere } from "./fallback.ts";
import { lockFiles } from "./file-lock.ts";
import { problem, systemProblem, type FileProblem } from "./problem.ts";
import { publish, takeBack, type Published } from "./publish.ts";
import { clearStage, stage, type Staged } from "./stage.ts";
import { currentStamp, type AbsentFile, type TextFile } from "./text-file.ts";

export type Committed = { readonly ok: true } | FileProblem;

/** A file that somebody changed since `before` makes it `changed`, and nothing is written. */
export async function commit(changes: readonly FileChange[], signal: AbortSignal): Promise<Committed> {
	const staged: Staged[] = [];
	const denied: { change: FileChange; why: FileProblem }[] = [];
	try {
		for (const change of changes) {
			const made = stage(change);
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
		// First: what others did cannot be taken back, and what is denied to them too is denied before a file is touched.
		for (const { change, why } of denied) if (!(await doElsewhere(change, why.reason))) return why;
		return await finish(staged);
	} finally {
		clearStage(staged);
	}
}

async function finish(staged: readonly Staged[]): Promise<Committed> {
	const changed = staged.find(
		({ change: { before } }) => stampBefore(before) !== currentStamp(before.target),
	);
	if (changed) return changedMeanwhile(changed.change);
	const done: Published[] = [];
	for (const one of staged) {
		try {
			done.push(publish(one, staged.length > 1));
		} catch (error) {
			const found = systemProblem(one.change.before.shown, "write", error);
			if (found.kind === "denied" && (await doElsewhere(one.change, error))) continue;
			const lost = takeBack(done);
			return lost.length === 0
				? found
				: problem("failed", `${found.reason} Not rolled back: ${lost.join(", ")}.`);
		}
	}
	for (const one of done) one.forget();
	for (const { change } of staged) invalidateScans(change.before.target);
	return { ok: true };
}

function stampBefore(before: TextFile | AbsentFile): string | undefined {
	return before.text === undefined ? undefined : before.stamp;
}

function changedMeanwhile({ before }: FileChange): FileProblem {
	return problem("changed", `${before.shown} was changed by another program while it was being written.`);
}

function names(changes: readonly FileChange[]): string {
	const shown = changes.map(({ before }) => before.shown);
	return shown.length > 3 ? `files in ${dirname(shown[0] ?? "")}` : shown.join(", ");
}

/** Finds what a command changed whose Tau was killed, from the baseline that it left on disk. */
import { existsSync } from "node:fs";

import { log } from "@tau/utils";

import { baselineIn, readBaseline, removeBaseline, type StoredBaseline } from "./baseline.ts";
import type { FileHistory } from "./file-history.ts";
import { statsAt, type ImageChange } from "./image.ts";
import { limits } from "./limits.ts";
import { ProjectTracker, type TrackerParts } from "./project-tracker.ts";

export interface RecoverParts extends Pick<TrackerParts, "root" | "isOwn"> {
	/** With the contents of the session, which no other process has open. */
	directory: string;
	history: FileHistory;
}

/** Whether a process has left something behind that `recoverChanges` can look at. */
export function isInterrupted(directory: string): boolean {
	return existsSync(baselineIn(directory));
}

/** The project of what was left behind. */
export function interruptedRoot(directory: string): string | undefined {
	using baseline = readBaseline(baselineIn(directory));
	return baseline?.root;
}

/** Records the changes as those of the command. What may be the user's work since then is restored only with a yes. */
export async function recoverChanges({ directory, root, isOwn, history }: RecoverParts): Promise<void> {
	const path = baselineIn(directory);
	using baseline = readBaseline(path);
	if (baseline?.command) {
		// Of another project: it is found when the session is resumed there.
		if (baseline.root !== root) return;
		if (!(await record(baseline, { directory, root, isOwn, history }))) return;
	}
	removeBaseline(path);
}

async function record(baseline: StoredBaseline, { history, ...parts }: RecoverParts): Promise<boolean> {
	const { command, isBackground, beatMs } = baseline;
	if (!command) return true;
	using tracker = ProjectTracker.recovered({ ...parts, isStored: false, onNotice: () => {} }, baseline.tree);
	const changes = await tracker.settle(history.store);
	const until = beatMs + limits.beatMs * 2;
	const isOwn = ({ path }: ImageChange): boolean => !isBackground && changedAt(path) <= until;
	const { id, ...moment } = command;
	const when = { ...moment, timestamp: beatMs };
	log.info("found what a killed command changed", { changes: changes.length });
	const own = history.append("command", changes.filter(isOwn), id, when);
	const others = changes.filter((change) => !isOwn(change));
	return history.append("background", others, id, when) && own;
}

/** When a path last changed; of one that is gone, the directory that it was in. */
function changedAt(path: string): number {
	const stats = statsAt(path);
	if (stats) return Number(stats.ctimeNs) / 1e6;
	for (let at = parentOf(path); at !== ""; at = parentOf(at)) {
		const above = statsAt(at);
		if (above) return Number(above.mtimeNs) / 1e6;
	}
	return Infinity;
}

function parentOf(path: string): string {
	return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

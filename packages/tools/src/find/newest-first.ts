/** Puts the files that changed last first: they are the ones that are being worked on. */
import { join } from "node:path";

import type { MachineFiles, ScanEntry } from "@tau/sys";

import { limits } from "./limits.ts";

export interface Ordered {
	ordered: readonly ScanEntry[];
	/** False when there were too many to look at; they keep the order of their names. */
	isTimed: boolean;
}

/** The number of lookups that the system handles in parallel. */
const atOnce = 256;

export async function newestFirst(
	files: MachineFiles,
	root: string,
	entries: readonly ScanEntry[],
	signal: AbortSignal,
): Promise<Ordered> {
	if (entries.length > limits.timed) return { ordered: entries, isTimed: false };
	const timed: { entry: ScanEntry; time: number }[] = [];
	for (let start = 0; start < entries.length; start += atOnce) {
		signal.throwIfAborted();
		const part = entries.slice(start, start + atOnce);
		timed.push(
			...(await Promise.all(part.map(async (entry) => ({ entry, time: await timeOf(files, root, entry) })))),
		);
	}
	// Sorting is stable: files of the same time keep the order of their names.
	timed.sort((a, b) => b.time - a.time);
	return { ordered: timed.map(({ entry }) => entry), isTimed: true };
}

async function timeOf(files: MachineFiles, root: string, { path }: ScanEntry): Promise<number> {
	const info = await files.lstat(join(root, path)).catch(() => undefined);
	return info?.mtimeMs ?? 0;
}

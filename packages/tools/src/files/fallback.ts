/** Others that write files, or take them away, where this process may not: a broker outside of a sandbox, say. */
import { lstatSync } from "node:fs";

import { log, onDispose } from "@tau/utils";

import type { FileChange } from "./change.ts";

/** `cause` is why it could not be done here. `dst` is where the file really is, behind all links. */
export interface DeniedWrite {
	dst: string;
	content: string;
	cause: unknown;
}

export interface DeniedDelete {
	dst: string;
	/** Whether it is known to be a plain file. */
	confirmedFile: boolean;
	cause: unknown;
}

/** Says whether it was done. */
export type WriteFallback = (denied: DeniedWrite) => Promise<boolean>;
export type DeleteFallback = (denied: DeniedDelete) => Promise<boolean>;

const writers = new Set<WriteFallback>();
const deleters = new Set<DeleteFallback>();

/** Asked in the order in which they were added, until it is disposed of. */
export function addWriteFallback(write: WriteFallback): Disposable {
	writers.add(write);
	return onDispose(() => writers.delete(write));
}

export function addDeleteFallback(remove: DeleteFallback): Disposable {
	deleters.add(remove);
	return onDispose(() => deleters.delete(remove));
}

/** Whether somebody did what this process was denied; what a fallback throws is a no. */
export async function doElsewhere({ before, after }: FileChange, cause: unknown): Promise<boolean> {
	const dst = before.target;
	if (after) {
		const content = after.hasBom ? `\ufeff${after.text}` : after.text;
		return await anyOf(writers, { dst, content, cause });
	}
	return await anyOf(deleters, { dst, confirmedFile: isPlainFile(dst), cause });
}

async function anyOf<T>(fallbacks: Iterable<(denied: T) => Promise<boolean>>, denied: T): Promise<boolean> {
	for (const ask of fallbacks) {
		try {
			if ((await ask(denied)) === true) return true;
		} catch (error) {
			log.warn("a fallback for files failed", { reason: String(error) });
		}
	}
	return false;
}

function isPlainFile(path: string): boolean {
	try {
		return lstatSync(path).isFile();
	} catch {
		// What may not be changed may often not be looked at either.
		return false;
	}
}

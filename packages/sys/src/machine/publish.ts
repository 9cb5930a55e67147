/** Moves a staged file into place atomically, and can undo that. */
import { copyFileSync, linkSync, renameSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";

import { shortId } from "@tau/utils";

import type { Directories } from "./directories.ts";
import { discard } from "./discard.ts";
import type { Staged } from "./stage.ts";

export interface Published {
	readonly shown: string;
	/** Restores the previous file. */
	undo(): void;
	/** Discards the previous file. */
	forget(): void;
}

/** Throws the system's error; nothing has changed then. */
export function publish(
	{ change, temporary }: Staged,
	keepOld: boolean,
	directories: Directories,
): Published {
	const { before } = change;
	const { target, shown } = before;
	const at = (path: string): string => directories.at(path);
	if (before.text === undefined) {
		if (temporary) createAs(at(temporary), at(target));
		return { shown, undo: () => unlinkSync(at(target)), forget: () => {} };
	}
	const old = keepOld ? keep(target, directories) : undefined;
	try {
		if (temporary) renameSync(at(temporary), at(target));
		else unlinkSync(at(target));
	} catch (error) {
		discard(old, directories);
		throw error;
	}
	return {
		shown,
		undo: () => old && renameSync(at(old), at(target)),
		forget: () => discard(old, directories),
	};
}

/** Undoes the newest first; returns the files that could not be restored. */
export function rollBack(done: readonly Published[]): string[] {
	const lost: string[] = [];
	for (const one of done.toReversed()) {
		try {
			one.undo();
		} catch {
			lost.push(one.shown);
		}
	}
	return lost;
}

/** A file that was created meanwhile is not overwritten. */
function createAs(temporary: string, target: string): void {
	try {
		linkSync(temporary, target);
		unlinkSync(temporary);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
		// The file system has no hard links; that no file exists was checked a moment ago.
		renameSync(temporary, target);
	}
}

/** Creates a second link to the current file, which stays in place all the time. */
function keep(target: string, directories: Directories): string {
	const old = join(dirname(target), `.tau-${shortId()}.old`);
	try {
		linkSync(directories.at(target), directories.at(old));
	} catch {
		copyFileSync(directories.at(target), directories.at(old));
	}
	return old;
}

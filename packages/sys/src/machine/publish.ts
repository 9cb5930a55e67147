/** Moves a staged file into place atomically, and can undo that. */
import { copyFileSync, linkSync, renameSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";

import { shortId } from "@tau/utils";

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
export function publish({ change, temporary }: Staged, keepOld: boolean): Published {
	const { before } = change;
	const { target, shown } = before;
	if (before.text === undefined) {
		if (temporary) createAs(temporary, target);
		return { shown, undo: () => unlinkSync(target), forget: () => {} };
	}
	const old = keepOld ? keep(target) : undefined;
	try {
		if (temporary) renameSync(temporary, target);
		else unlinkSync(target);
	} catch (error) {
		discard(old);
		throw error;
	}
	return {
		shown,
		undo: () => old && renameSync(old, target),
		forget: () => discard(old),
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
function keep(target: string): string {
	const old = join(dirname(target), `.tau-${shortId()}.old`);
	try {
		linkSync(target, old);
	} catch {
		copyFileSync(target, old);
	}
	return old;
}

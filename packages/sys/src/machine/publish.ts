/** Puts a staged file in its place in one step, and can take that back. */
import { copyFileSync, linkSync, renameSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";

import { shortId } from "@tau/utils";

import { discard } from "./discard.ts";
import type { Staged } from "./stage.ts";

export interface Published {
	readonly shown: string;
	/** Puts back what was there before. */
	undo(): void;
	/** Lets go of what was there before. */
	forget(): void;
}

/** Throws what the system says; then nothing has happened. */
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

/** Newest first; names what could not be put back. */
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

/** A file that appeared in the meantime is not written over. */
function createAs(temporary: string, target: string): void {
	try {
		linkSync(temporary, target);
		unlinkSync(temporary);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
		// A file system without hard links; that nothing is there was looked up a moment ago.
		renameSync(temporary, target);
	}
}

/** A second name for what is there; the file itself stays in its place all the time. */
function keep(target: string): string {
	const old = join(dirname(target), `.tau-${shortId()}.old`);
	try {
		linkSync(target, old);
	} catch {
		copyFileSync(target, old);
	}
	return old;
}

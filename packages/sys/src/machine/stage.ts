/** Writes what files shall hold beside them, so that everything that can go wrong goes wrong before a file is touched. */
import {
	accessSync,
	closeSync,
	constants,
	fchmodSync,
	fchownSync,
	fstatSync,
	fsyncSync,
	mkdirSync,
	openSync,
	rmdirSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { shortId } from "@tau/utils";

import type { FileChange, NewContent } from "./change.ts";
import { discard } from "./discard.ts";
import { systemProblem, type FileProblem } from "./problem.ts";
import { encode, type AbsentFile, type TextFile } from "./text-file.ts";

export interface Staged {
	readonly ok: true;
	readonly change: FileChange;
	/** Where the new content lies; a file that is taken away has none. */
	readonly temporary: string | undefined;
	/** The topmost directory that was made for it. */
	readonly madeDirectory: string | undefined;
}

export function stage(change: FileChange): Staged | FileProblem {
	const { before, after } = change;
	const directory = dirname(before.target);
	let madeDirectory: string | undefined;
	const temporary = after && join(directory, `.tau-${shortId()}.tmp`);
	try {
		// A file that is marked read-only is meant to stay as it is, although its directory would allow the rename.
		if (before.text !== undefined) accessSync(before.target, constants.W_OK);
		if (temporary) {
			madeDirectory = mkdirSync(directory, { recursive: true });
			writeWhole(temporary, before, after);
		}
		return { ok: true, change, temporary, madeDirectory };
	} catch (error) {
		clearStage([{ ok: true, change, temporary, madeDirectory }]);
		return systemProblem(before.shown, "write", error);
	}
}

/** What was published is not there any more; what was not leaves no trace. */
export function clearStage(staged: readonly Staged[]): void {
	for (const { temporary, madeDirectory, change } of staged.toReversed()) {
		discard(temporary);
		if (madeDirectory) removeEmpty(dirname(change.before.target), madeDirectory);
	}
}

function writeWhole(temporary: string, before: TextFile | AbsentFile, after: NewContent): void {
	const file = openSync(temporary, "wx", 0o666);
	try {
		writeFileSync(file, encode(after));
		const made = fstatSync(file);
		if (before.text !== undefined) keepOwner(file, made, before.owner);
		const mode = (before.text === undefined ? after.mode : before.mode) ?? made.mode & 0o7777;
		// Whoever may read it may run it.
		const requested = after.executable ? mode | ((mode & 0o444) >> 2) : mode;
		// Changing the owner, or the process's mask, may have taken bits away.
		fchmodSync(file, requested);
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
}

function keepOwner(file: number, made: { uid: number; gid: number }, owner: TextFile["owner"]): void {
	if (made.uid === owner.uid && made.gid === owner.gid) return;
	try {
		fchownSync(file, owner.uid, owner.gid);
	} catch {
		// Only root may give files away: whoever changes a file of somebody else owns it from then on.
	}
}

/** From the lowest directory up to the topmost one that was made; a directory that is in use by now stays. */
function removeEmpty(lowest: string, topmost: string): void {
	for (let path = lowest; path.length >= topmost.length; path = dirname(path)) {
		try {
			rmdirSync(path);
		} catch {
			return;
		}
	}
}

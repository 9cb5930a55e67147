/** Writes new contents to temporary files beside their targets, so that most failures occur before a file is touched. */
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
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { shortId } from "@tau/utils";

import type { FileChange, NewContent } from "./change.ts";
import { discard } from "./discard.ts";
import { systemProblem, type FileProblem } from "./problem.ts";
import { encode, isLink, type AbsentFile, type TextFile } from "./text-file.ts";

export interface Staged {
	readonly ok: true;
	readonly change: FileChange;
	/** The path of the new content; absent for a deletion. */
	readonly temporary: string | undefined;
	/** The topmost directory that was created for it. */
	readonly madeDirectory: string | undefined;
}

export function stage(change: FileChange): Staged | FileProblem {
	const { before, after } = change;
	const directory = dirname(before.target);
	let madeDirectory: string | undefined;
	const temporary = after && join(directory, `.tau-${shortId()}.tmp`);
	try {
		// A read-only file must not change, although its directory would allow the rename.
		if (before.text !== undefined && !isLink(before.target)) accessSync(before.target, constants.W_OK);
		if (temporary) {
			madeDirectory = mkdirSync(directory, { recursive: true });
			if (after.linkTarget === undefined) writeWhole(temporary, before, after);
			else symlinkSync(after.linkTarget, temporary);
		}
		return { ok: true, change, temporary, madeDirectory };
	} catch (error) {
		clearStage([{ ok: true, change, temporary, madeDirectory }]);
		return systemProblem(before.shown, "write", error);
	}
}

/** Removes the staged files that were not published, and the directories that were created for them. */
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
		const isGiven = before.text === undefined || after.setMode === true;
		const mode = (isGiven ? after.mode : before.mode) ?? made.mode & 0o7777;
		// Everyone who may read it may execute it.
		const requested = after.executable ? mode | ((mode & 0o444) >> 2) : mode;
		// The change of owner, or the process's umask, may have cleared bits.
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
		// Only root may change owners: another user who changes a file becomes its owner.
	}
}

/** From the deepest directory up to the topmost one that was created; a directory that is no longer empty stays. */
function removeEmpty(lowest: string, topmost: string): void {
	for (let path = lowest; path.length >= topmost.length; path = dirname(path)) {
		try {
			rmdirSync(path);
		} catch {
			return;
		}
	}
}

/** Writes new contents to temporary files beside their targets, so that most failures occur before a file is touched. */
import {
	accessSync,
	closeSync,
	constants,
	fchmodSync,
	fchownSync,
	fstatSync,
	fsyncSync,
	openSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { shortId } from "@tau/utils";

import type { FileChange, NewContent } from "./change.ts";
import type { Directories } from "./directories.ts";
import { discard } from "./discard.ts";
import { systemProblem, type FileProblem } from "./problem.ts";
import { encode, isLink, type AbsentFile, type TextFile } from "./text-file.ts";

export interface Staged {
	readonly ok: true;
	readonly change: FileChange;
	/** The path of the new content; absent for a deletion. */
	readonly temporary: string | undefined;
	/** The directories that were created for it, the topmost first. */
	readonly made: readonly string[];
}

export function stage(change: FileChange, directories: Directories): Staged | FileProblem {
	const { before, after } = change;
	const directory = dirname(before.target);
	let made: readonly string[] = [];
	const temporary = after && join(directory, `.tau-${shortId()}.tmp`);
	try {
		// A read-only file must not change, although its directory would allow the rename.
		if (before.text !== undefined) {
			const current = directories.at(before.target);
			if (!isLink(current)) accessSync(current, constants.W_OK);
		}
		if (temporary) {
			made = directories.make(directory);
			const draft = directories.at(temporary);
			if (after.linkTarget === undefined) writeWhole(draft, before, after);
			else symlinkSync(after.linkTarget, draft);
		}
		return { ok: true, change, temporary, made };
	} catch (error) {
		clearStage([{ ok: true, change, temporary, made }], directories);
		return systemProblem(before.shown, "write", error);
	}
}

/** Removes the staged files that were not published, and the directories that were created for them. */
export function clearStage(staged: readonly Staged[], directories: Directories): void {
	for (const { temporary, made } of staged.toReversed()) {
		discard(temporary, directories);
		directories.removeEmpty(made);
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

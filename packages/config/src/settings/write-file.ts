/** Changes a file atomically, one process at a time, without losing the changes of others. */
import {
	closeSync,
	fchmodSync,
	fsyncSync,
	lstatSync,
	mkdirSync,
	openSync,
	readlinkSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { lockWithin, shortId } from "@tau/utils";

import { limits } from "./limits.ts";
import { readText } from "./read-text.ts";

/** Returns the changed text, or why the change cannot be made. */
export type Edit = (text: string) => Edited;
export type Edited = { ok: true; text: string } | Refused;
type Refused = { ok: false; reason: string; line?: number };

export type Written = { ok: true } | Refused;

interface WriteOptions {
	/** The project that must contain the file: a link in a hostile repository must not lead to the user's files. */
	within?: string;
}

/** A missing file counts as empty. The file is read at the time of the change, not when Tau started. */
export async function changeFile(path: string, edit: Edit, { within }: WriteOptions = {}): Promise<Written> {
	try {
		// A link to a file among the user's dotfiles stays a link.
		const target = followLinks(path);
		const isPrivate = within === undefined;
		if (within !== undefined && !liesIn(target, within)) {
			return { ok: false, reason: `points outside the project, to ${target}` };
		}
		mkdirSync(dirname(target), { recursive: true, mode: isPrivate ? 0o700 : 0o777 });
		const taken = await lockWithin(target, { waitMs: limits.lockWaitMs });
		if (!taken.ok) return { ok: false, reason: "is being written by another process. Try again" };
		using _lock = taken.lock;
		for (let attempt = 0; attempt < limits.writeAttempts; attempt++) {
			const written = writeOnce(target, edit, isPrivate ? 0o600 : 0o644);
			if (written) return written;
		}
		return { ok: false, reason: "keeps being changed by another program. Try again" };
	} catch (error) {
		return {
			ok: false,
			reason: `cannot be written: ${error instanceof Error ? error.message : String(error)}`,
		};
	}
}

/** Returns undefined if another program changed the file during the edit. */
function writeOnce(target: string, edit: Edit, newMode: number): Written | undefined {
	const stamp = stampOf(target);
	const read = readText(target);
	if (read && !read.ok) return read;
	const before = read?.text ?? "";
	const edited = edit(before);
	if (!edited.ok) return edited;
	const { text } = edited;
	if (text === before) return { ok: true };
	const mode = statSync(target, { throwIfNoEntry: false })?.mode;
	const temporary = `${target}.${shortId()}.tmp`;
	try {
		writeWhole(temporary, text, mode === undefined ? newMode : mode & 0o7777);
		// Editors do not use our lock: this is the last check before the file is replaced.
		if (stampOf(target) !== stamp) return undefined;
		renameSync(temporary, target);
	} finally {
		rmSync(temporary, { force: true });
	}
	return { ok: true };
}

function writeWhole(path: string, text: string, mode: number): void {
	const file = openSync(path, "wx", mode);
	try {
		writeFileSync(file, text);
		// The umask of the process may have removed bits that the file had.
		fchmodSync(file, mode);
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
}

/** Returns a stamp that distinguishes one state of a file from another. */
function stampOf(path: string): string {
	const info = statSync(path, { bigint: true, throwIfNoEntry: false });
	return info ? `${info.ino}:${info.size}:${info.mtimeNs}:${info.ctimeNs}` : "";
}

/** Decides by the real path of the nearest existing directory. */
function liesIn(target: string, directory: string): boolean {
	let above = dirname(target);
	while (!statSync(above, { throwIfNoEntry: false })) above = dirname(above);
	const way = relative(realpathSync(directory), realpathSync(above));
	return way === "" || !(way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way));
}

/** Also follows a last link whose target does not exist yet: the file is created there. */
function followLinks(path: string): string {
	let target = path;
	for (let step = 0; step < limits.linkSteps; step++) {
		if (!lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink()) return target;
		target = resolve(dirname(target), readlinkSync(target));
	}
	throw new Error("a cycle of links");
}

/** Changes a file whole or not at all, one process at a time, without losing what somebody else changes. */
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
import { takeLock, type Lock, delay, shortId } from "@tau/utils";

import { limits } from "./limits.ts";
import { readText } from "./read-text.ts";

/** The text with the change, or why it cannot be made. */
export type Edit = (text: string) => Edited;
export type Edited = { ok: true; text: string } | Refused;
type Refused = { ok: false; reason: string; line?: number };

export type Written = { ok: true } | Refused;

interface WriteOptions {
	/** The project that the file must lie in: a link in a stranger's repository must not lead to a file of the user's. */
	within?: string;
}

/** A file that is not there is empty. What is read, changed and written is the file as it is at that moment, not as it was when Tau started. */
export async function changeFile(path: string, edit: Edit, { within }: WriteOptions = {}): Promise<Written> {
	try {
		// A link to a file among somebody's dotfiles stays one.
		const target = followLinks(path);
		const isPrivate = within === undefined;
		if (within !== undefined && !liesIn(target, within)) {
			return { ok: false, reason: `points outside the project, to ${target}` };
		}
		mkdirSync(dirname(target), { recursive: true, mode: isPrivate ? 0o700 : 0o777 });
		using lock = await waitForLock(target);
		if (!lock) return { ok: false, reason: "is being written by another process. Try again" };
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

/** Undefined when the file was changed while the change was being made. */
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
		// Editors know nothing of our lock: this is the last look before the file is replaced.
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
		// The process's mask may have taken bits away that the file had.
		fchmodSync(file, mode);
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
}

/** Tells one state of a file from another. */
function stampOf(path: string): string {
	const info = statSync(path, { bigint: true, throwIfNoEntry: false });
	return info ? `${info.ino}:${info.size}:${info.mtimeNs}:${info.ctimeNs}` : "";
}

async function waitForLock(target: string): Promise<Lock | undefined> {
	const end = Date.now() + limits.lockWaitMs;
	for (;;) {
		const taken = takeLock(target);
		if (taken.ok) return taken.lock;
		if (Date.now() > end) return undefined;
		await delay(limits.lockPollMs);
	}
}

/** Judged by where the nearest directory that is there really lies. */
function liesIn(target: string, directory: string): boolean {
	let above = dirname(target);
	while (!statSync(above, { throwIfNoEntry: false })) above = dirname(above);
	const way = relative(realpathSync(directory), realpathSync(above));
	return way === "" || !(way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way));
}

/** Also where the last link leads to nothing yet: that is where the file is wanted. */
function followLinks(path: string): string {
	let target = path;
	for (let step = 0; step < limits.linkSteps; step++) {
		if (!lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink()) return target;
		target = resolve(dirname(target), readlinkSync(target));
	}
	throw new Error("a cycle of links");
}

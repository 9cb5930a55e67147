/** Puts files back: each whole or not at all, in an order in which directories and files do not stand in each other's way. */
import {
	chmodSync,
	closeSync,
	fchmodSync,
	lstatSync,
	mkdirSync,
	openSync,
	renameSync,
	rmdirSync,
	symlinkSync,
	unlinkSync,
	writeSync,
} from "node:fs";

import { holdBytes, PathMoved, type HeldBytes } from "@tau/sys";
import { errorCode, shortId } from "@tau/utils";

import { bytesOf, ProjectReader, shownPath, type Image } from "./image.ts";
import type { ImageStore } from "./image-store.ts";
import { inSlices } from "./slices.ts";

/** A path, what it is, and what it becomes. */
export interface WantedImage {
	readonly path: string;
	readonly now: Image;
	readonly want: Image;
}

export interface RestoreFailure {
	readonly path: string;
	readonly reason: string;
}

/**
 * `root`: below it nothing is written through a link. Returns what could not be restored; everything else is. When it is
 * aborted, no file is left half-way between what it was and what it becomes.
 */
export async function restoreFiles(
	wanted: readonly WantedImage[],
	store: ImageStore,
	root: string,
	signal?: AbortSignal,
): Promise<RestoreFailure[]> {
	const failures: RestoreFailure[] = [];
	const attempt = ({ path }: WantedImage, work: (target: Target) => void): void => {
		try {
			if (new ProjectReader(root).linkAbove(path) !== undefined) throw new Error(behindLink);
			using directory = holdParent(path);
			work({ directory, name: bytesOf(nameOf(path)) });
		} catch (error) {
			failures.push({ path, reason: reasonOf(path, error) });
		}
	};
	const sorted = wanted.toSorted((a, b) => (a.path < b.path ? -1 : 1));
	const left = new Set(sorted);
	// A path that becomes something else is emptied first, the deepest first.
	const isGoing = ({ now, want }: WantedImage): boolean => now.kind !== "absent" && want.kind !== now.kind;
	const emptied = new Set<WantedImage>();
	await inSlices(sorted.toReversed().filter(isGoing), signal, (one) => {
		attempt(one, (target) => remove(target, one));
		if (one.want.kind === "absent") left.delete(one);
		else emptied.add(one);
	});
	const fill = (one: WantedImage): void => {
		const { want } = one;
		left.delete(one);
		if (want.kind === "directory") attempt(one, (target) => makeDirectory(target, bytesOf(one.path)));
		else if (want.kind === "link") attempt(one, (target) => makeLink(target, want.target));
		else if (want.kind === "file") attempt(one, (target) => writeFile(target, want, store));
	};
	await inSlices([...left], signal, fill);
	for (const one of emptied) if (left.has(one)) fill(one);
	// Last: nothing could be created in a directory that may not be written.
	for (const one of sorted.toReversed()) {
		const { want } = one;
		if (want.kind === "directory" && !left.has(one))
			attempt(one, () => setMode(bytesOf(one.path), want.mode));
	}
	for (const { path } of left) failures.push({ path, reason: "stopped before it was restored" });
	return failures;
}

const behindLink = "a directory of its path is a link now";

/** A name in a directory that stays the same one, whatever becomes of its path. */
interface Target {
	readonly directory: HeldBytes;
	readonly name: Buffer;
}

/** The directory of a path, created through no link if it is missing. */
function holdParent(path: string): HeldBytes {
	const directory = path.slice(0, path.lastIndexOf("/")) || "/";
	try {
		return holdBytes(bytesOf(directory));
	} catch (error) {
		if (errorCode(error) !== "ENOENT" || directory === "/") throw error;
	}
	using above = holdParent(directory);
	make(above.at(bytesOf(nameOf(directory))), 0o777);
	return holdBytes(bytesOf(directory));
}

function nameOf(path: string): string {
	return path.slice(path.lastIndexOf("/") + 1);
}

function remove({ directory, name }: Target, { now, want }: WantedImage): void {
	const stats = lstatSync(directory.at(name), { throwIfNoEntry: false });
	if (!stats) return;
	if (!stats.isDirectory()) return unlinkSync(directory.at(name));
	try {
		rmdirSync(directory.at(name));
	} catch (error) {
		const isFull = errorCode(error) === "ENOTEMPTY" || errorCode(error) === "EEXIST";
		// A directory with files that this session did not make stays.
		if (!isFull || now.kind !== "directory" || want.kind !== "absent") throw error;
	}
}

function makeDirectory({ directory, name }: Target, path: Buffer): void {
	if (lstatSync(directory.at(name), { throwIfNoEntry: false })?.isSymbolicLink() === true)
		throw new Error("a link is in its place");
	make(directory.at(name), 0o700);
	// Its own mode comes last; until then it must be possible to write into it.
	setMode(path, 0o700);
}

function make(path: Buffer, mode: number): void {
	try {
		mkdirSync(path, { mode });
	} catch (error) {
		if (errorCode(error) !== "EEXIST") throw error;
	}
}

function setMode(path: Buffer, mode: number): void {
	using directory = holdBytes(path);
	chmodSync(directory.at(), mode);
}

function makeLink(target: Target, leadsTo: string): void {
	const aside = beside(target);
	symlinkSync(bytesOf(leadsTo), aside);
	put(aside, target);
}

function writeFile(target: Target, want: Image & { kind: "file" }, store: ImageStore): void {
	const content = store.get(want.hash);
	if (!content) throw new Error("its content is no longer kept");
	const aside = beside(target);
	const file = openSync(aside, "wx", 0o600);
	try {
		for (let done = 0; done < content.length;) done += writeSync(file, content, done);
		fchmodSync(file, want.mode);
	} catch (error) {
		unlinkSync(aside);
		throw error;
	} finally {
		closeSync(file);
	}
	put(aside, target);
}

function put(aside: Buffer, { directory, name }: Target): void {
	try {
		renameSync(aside, directory.at(name));
	} catch (error) {
		unlinkSync(aside);
		throw error;
	}
}

function beside({ directory }: Target): Buffer {
	return directory.at(Buffer.from(`.tau-${shortId()}.tmp`));
}

function reasonOf(path: string, error: unknown): string {
	if (error instanceof PathMoved) return behindLink;
	const message = error instanceof Error ? error.message : String(error);
	return message.replaceAll(path, shownPath(path));
}

/** Puts files back: each whole or not at all, in an order in which directories and files do not stand in each other's way. */
import {
	chmodSync,
	mkdirSync,
	openSync,
	closeSync,
	fchmodSync,
	renameSync,
	rmdirSync,
	symlinkSync,
	unlinkSync,
	writeSync,
} from "node:fs";

import { errorCode, shortId } from "@tau/utils";

import { bytesOf, ProjectReader, shownPath, statsAt, type Image } from "./image.ts";
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
	const attempt = ({ path }: WantedImage, work: (bytes: Buffer) => void): void => {
		try {
			if (new ProjectReader(root).linkAbove(path) !== undefined)
				throw new Error("a directory of its path is a link now");
			work(bytesOf(path));
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
		attempt(one, () => remove(one));
		if (one.want.kind === "absent") left.delete(one);
		else emptied.add(one);
	});
	const fill = (one: WantedImage): void => {
		const { want } = one;
		left.delete(one);
		if (want.kind === "directory") attempt(one, (bytes) => makeDirectory(bytes));
		else if (want.kind === "link") attempt(one, (bytes) => makeLink(bytes, want.target));
		else if (want.kind === "file") attempt(one, (bytes) => writeFile(bytes, want, store));
	};
	await inSlices([...left], signal, fill);
	for (const one of emptied) if (left.has(one)) fill(one);
	// Last: nothing could be created in a directory that may not be written.
	for (const one of sorted.toReversed()) {
		const { want } = one;
		if (want.kind === "directory" && !left.has(one)) attempt(one, (bytes) => chmodSync(bytes, want.mode));
	}
	for (const { path } of left) failures.push({ path, reason: "stopped before it was restored" });
	return failures;
}

function remove({ path, now, want }: WantedImage): void {
	const stats = statsAt(path);
	if (!stats) return;
	if (!stats.isDirectory()) return unlinkSync(bytesOf(path));
	try {
		rmdirSync(bytesOf(path));
	} catch (error) {
		const isFull = errorCode(error) === "ENOTEMPTY" || errorCode(error) === "EEXIST";
		// A directory with files that this session did not make stays.
		if (!isFull || now.kind !== "directory" || want.kind !== "absent") throw error;
	}
}

function makeDirectory(path: Buffer): void {
	if (statsAt(path.toString("latin1"))?.isSymbolicLink() === true) throw new Error("a link is in its place");
	mkdirSync(path, { recursive: true, mode: 0o700 });
	// Its own mode comes last; until then it must be possible to write into it.
	chmodSync(path, 0o700);
}

function makeLink(path: Buffer, target: string): void {
	parent(path);
	const aside = beside(path);
	symlinkSync(bytesOf(target), aside);
	put(aside, path);
}

function writeFile(path: Buffer, want: Image & { kind: "file" }, store: ImageStore): void {
	const content = store.get(want.hash);
	if (!content) throw new Error("its content is no longer kept");
	parent(path);
	const aside = beside(path);
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
	put(aside, path);
}

function put(aside: Buffer, path: Buffer): void {
	try {
		renameSync(aside, path);
	} catch (error) {
		unlinkSync(aside);
		throw error;
	}
}

function parent(path: Buffer): void {
	mkdirSync(path.subarray(0, path.lastIndexOf(0x2f)), { recursive: true });
}

function beside(path: Buffer): Buffer {
	return Buffer.concat([path.subarray(0, path.lastIndexOf(0x2f) + 1), Buffer.from(`.tau-${shortId()}.tmp`)]);
}

function reasonOf(path: string, error: unknown): string {
	const message = error instanceof Error ? error.message : String(error);
	return message.replaceAll(path, shownPath(path));
}

/** Lists the blobs, and removes one without losing it for a process that is about to refer to it. */
import { linkSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

import { errorCode } from "@tau/utils";

import { isHash } from "../blobs/blob-reference.ts";
import { namesIn } from "./survey.ts";

export interface Weighed {
	path: string;
	bytes: number;
	mtimeMs: number;
}

const asideSuffix = ".gc";

export interface BlobListing {
	/** By hash. */
	blobs: Map<string, Weighed>;
	/** Temporary files of writes that never finished. */
	unfinished: Weighed[];
	/** Files renamed by a collection that did not finish. */
	aside: string[];
}

export function listBlobs(directory: string): BlobListing {
	const listing: BlobListing = { blobs: new Map(), unfinished: [], aside: [] };
	for (const name of namesIn(directory)) {
		const path = join(directory, name);
		const weighed = weigh(path);
		if (!weighed) continue;
		if (isHash(name)) listing.blobs.set(name, weighed);
		else if (name.endsWith(".tmp")) listing.unfinished.push(weighed);
		else if (name.endsWith(asideSuffix)) listing.aside.push(path);
	}
	return listing;
}

export function weigh(path: string): Weighed | undefined {
	const stats = statSync(path, { throwIfNoEntry: false });
	return stats?.isFile() ? { path, bytes: stats.size, mtimeMs: stats.mtimeMs } : undefined;
}

/**
 * A process that refers to a blob updates its time, or writes it if it is missing. It is renamed first and checked
 * again then: a changed time means that it was needed before it was gone.
 */
export function removeBlob({ path, mtimeMs }: Weighed): boolean {
	const aside = path + asideSuffix;
	try {
		renameSync(path, aside);
	} catch (error) {
		if (errorCode(error) === "ENOENT") return false;
		throw error;
	}
	if (weigh(aside)?.mtimeMs !== mtimeMs) {
		putBack(aside);
		return false;
	}
	rmSync(aside, { force: true });
	return true;
}

export function putBack(aside: string): void {
	try {
		linkSync(aside, aside.slice(0, -asideSuffix.length));
		rmSync(aside, { force: true });
	} catch (error) {
		// Written anew meanwhile, or a file system without links; a blob is the same whichever file it is.
		if (errorCode(error) !== "ENOENT") renameSync(aside, aside.slice(0, -asideSuffix.length));
	}
}

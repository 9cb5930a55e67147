/**
 * Directories whose names are not text. Git finds a repository in one, and we would miss it: if a command has made one that
 * contains a repository, it gets a name that is text.
 */
import { existsSync, lstatSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";

import { shortId } from "@tau/utils";

import { limits } from "./limits.ts";

const slash = Buffer.from("/");

export class OddNames {
	/** From now on they are those of commands. */
	areKnown = false;
	readonly #own = new Set<string>();

	/** Returns whether one was renamed. */
	rename(directory: string): boolean {
		let isRenamed = false;
		for (const name of namesIn(Buffer.from(directory))) {
			const text = name.toString("utf8");
			if (Buffer.from(text).equals(name)) continue;
			const path = Buffer.concat([Buffer.from(directory), slash, name]);
			const key = path.toString("latin1");
			if (this.#own.has(key) || !isDirectory(path) || !holdsRepository(path)) continue;
			if (!this.areKnown) {
				this.#own.add(key);
				continue;
			}
			const named = join(directory, text);
			renameSync(path, existsSync(named) ? `${named}-${shortId()}` : named);
			isRenamed = true;
		}
		return isRenamed;
	}
}

/** True for one that is too large to look at. */
function holdsRepository(path: Buffer): boolean {
	const queue = [path];
	for (const at of queue) {
		if (queue.length > limits.searchedDirectories) return true;
		for (const name of namesIn(at)) {
			if (/^(?:\.git|head)$/i.test(name.toString("latin1"))) return true;
			const below = Buffer.concat([at, slash, name]);
			if (isDirectory(below)) queue.push(below);
		}
	}
	return false;
}

function namesIn(path: Buffer): Buffer[] {
	try {
		return readdirSync(path, { encoding: "buffer" });
	} catch {
		// It is gone, or not readable.
		return [];
	}
}

function isDirectory(path: Buffer): boolean {
	return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

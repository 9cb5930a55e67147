/**
 * Directories whose names are not text. Git finds a repository in one, and we would miss it: if a command has made one that
 * contains a repository, it gets a name that is text.
 */
import { existsSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";

import { shortId } from "@tau/utils";

import { openForOwner } from "./disarm.ts";
import { textOf } from "./git-directories.ts";
import { limits } from "./limits.ts";
import { statsOf } from "./stats-of.ts";

const slash = Buffer.from("/");
/** Characters that are kept; a name may have 255 bytes. */
const nameLength = 60;

export class OddNames {
	/** From now on they are those of commands. */
	areKnown = false;
	readonly #own = new Set<string>();

	/** Returns whether one was renamed. */
	rename(directory: string): boolean {
		let isRenamed = false;
		for (const name of namesIn(Buffer.from(directory)) ?? []) {
			if (textOf(name) !== undefined) continue;
			const path = Buffer.concat([Buffer.from(directory), slash, name]);
			const key = path.toString("latin1");
			if (this.#own.has(key) || !isDirectory(path) || !holdsRepository(path)) continue;
			if (!this.areKnown) {
				this.#own.add(key);
				continue;
			}
			isRenamed = this.#hasRenamed(directory, path, name) || isRenamed;
		}
		return isRenamed;
	}

	#hasRenamed(directory: string, path: Buffer, name: Buffer): boolean {
		// Each byte may become three.
		const named = join(directory, name.toString("utf8").slice(0, nameLength));
		const rename = (): void => renameSync(path, existsSync(named) ? `${named}-${shortId()}` : named);
		try {
			rename();
			return true;
		} catch {
			// A command has closed the directory, or it is gone.
			return openForOwner(directory) && this.rename(directory);
		}
	}
}

/** True for one that is too large to look at, or closed. */
function holdsRepository(path: Buffer): boolean {
	const queue = [path];
	for (const at of queue) {
		if (queue.length > limits.searchedDirectories) return true;
		const names = namesIn(at);
		if (names === undefined) return true;
		for (const name of names) {
			if (/^(?:\.git|head)$/i.test(name.toString("latin1"))) return true;
			const below = Buffer.concat([at, slash, name]);
			if (isDirectory(below)) queue.push(below);
		}
	}
	return false;
}

function namesIn(path: Buffer): Buffer[] | undefined {
	try {
		return readdirSync(path, { encoding: "buffer" });
	} catch {
		// It is gone, or not readable.
		return undefined;
	}
}

function isDirectory(path: Buffer): boolean {
	return statsOf(path)?.isDirectory() === true;
}

/** The directories that one commit works in: each is checked to be at its path, and kept open while there are few. */
import { rmdirSync } from "node:fs";
import { basename, dirname } from "node:path";

import { errorCode } from "@tau/utils";

import { HeldDirectory } from "../walk/index.ts";
import { limits } from "./limits.ts";

export class Directories implements Disposable {
	readonly #open = new Map<string, HeldDirectory>();

	/** The path for calls of the system of a file whose path has no links. */
	at(target: string): string {
		return this.#directory(dirname(target)).at(basename(target));
	}

	/** Creates the directory of a file, through no link. Returns the paths that were created, the topmost first. */
	make(path: string): string[] {
		try {
			this.#directory(path);
			return [];
		} catch (error) {
			if (errorCode(error) !== "ENOENT" || path === dirname(path)) throw error;
		}
		const above = this.make(dirname(path));
		const parent = this.#directory(dirname(path));
		const isMade = parent.make(basename(path));
		this.#keep(path, parent.enter(basename(path)));
		return isMade ? [...above, path] : above;
	}

	/** A directory that is no longer empty stays. */
	removeEmpty(made: readonly string[]): void {
		for (const path of made.toReversed()) {
			try {
				rmdirSync(this.at(path));
			} catch {
				return;
			}
			this.#open.get(path)?.[Symbol.dispose]();
			this.#open.delete(path);
		}
	}

	[Symbol.dispose](): void {
		for (const directory of this.#open.values()) directory[Symbol.dispose]();
		this.#open.clear();
	}

	#directory(path: string): HeldDirectory {
		return this.#open.get(path) ?? this.#keep(path, HeldDirectory.open(path));
	}

	#keep(path: string, directory: HeldDirectory): HeldDirectory {
		const [oldest] = this.#open;
		if (oldest && this.#open.size >= limits.openDirectories) {
			oldest[1][Symbol.dispose]();
			this.#open.delete(oldest[0]);
		}
		this.#open.set(path, directory);
		return directory;
	}
}

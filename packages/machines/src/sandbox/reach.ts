/** What commands can write, and what of that is protected. Paths are without links. */
import { join } from "node:path";

import { isBelow, isCovered } from "./below.ts";
import type { SandboxProfile } from "./profile.ts";
import { isRepository } from "./repository-paths.ts";

export class Reach {
	/** Directories in which repositories are looked for. */
	readonly roots: readonly string[];
	readonly readOnly: ReadonlySet<string>;
	readonly #writable: readonly string[];
	readonly #remembered = new Set<string>();

	constructor({ writable, readOnly, cacheDir }: Pick<SandboxProfile, "writable" | "readOnly" | "cacheDir">) {
		this.roots = writable.filter((path) => !isRepository(path));
		this.readOnly = new Set(readOnly);
		this.#writable = cacheDir === undefined ? writable : [...writable, cacheDir];
	}

	/** Directories of the user's repositories that no mount protects, and that are put back after a command. */
	remember(directories: Iterable<string>): void {
		for (const path of directories) this.#remembered.add(path);
	}

	readonly isWritable = (path: string): boolean =>
		this.#writable.some((above) => path === above || isBelow(path, above)) &&
		!isCovered(path, this.readOnly, this.#writable);

	/** The same without what is protected itself. */
	readonly isFree = (path: string): boolean => this.isWritable(path) && !this.readOnly.has(path);

	/** A repository that is none of the commands': nothing outside of what they can write is theirs, nor what they could not change. */
	readonly isProtected = (directory: string): boolean =>
		this.#remembered.has(directory) ||
		!this.isFree(directory) ||
		this.readOnly.has(join(directory, "config"));
}

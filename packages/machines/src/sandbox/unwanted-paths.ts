/** Files that programs outside would run, and that commands must not make: looked for only where a directory has changed. */
import { statSync } from "node:fs";
import { dirname } from "node:path";

import { isBelow } from "./below.ts";
import type { Denial } from "./denial.ts";
import { linkTarget, removed, setAside } from "./disarm.ts";
import { limits } from "./limits.ts";

const runsOutside = "it would run outside";
/** The stamp of a directory that is not there. */
const absent = "absent";

export class UnwantedPaths {
	readonly #paths: readonly string[];
	/** In the place of which a link would lead past the files. */
	readonly #directories: readonly string[];
	/** The directories of all of them, those above first. */
	readonly #parents: readonly string[];
	/** By the directory: what it was at the last look, if each later change shows. */
	readonly #seen = new Map<string, string>();
	readonly #now: () => number;

	constructor(paths: readonly string[], directories: readonly string[], now: () => number = Date.now) {
		this.#paths = paths;
		this.#directories = directories;
		const parents = new Set([...paths, ...directories].map((path) => dirname(path)));
		this.#parents = [...parents].toSorted((one, other) => one.length - other.length);
		this.#now = now;
	}

	/** Called before a command runs: what is not there now has to be looked for only where a directory changes later. */
	keep(): this {
		this.#changed();
		return this;
	}

	disarm(): Denial[] {
		const changed = this.#changed();
		const isIn = (path: string): boolean => changed.has(dirname(path));
		const links = this.#directories.filter(isIn).flatMap((path) => removed(path, runsOutside));
		const files = this.#paths
			.filter((path) => links.length > 0 || isIn(path))
			.flatMap((path) => setAside(path, runsOutside));
		// What could not be taken away is reported again.
		if (links.length + files.length > 0) this.#seen.clear();
		return [...links, ...files];
	}

	/** A directory changes with each entry that is made in it, renamed or replaced. */
	#changed(): ReadonlySet<string> {
		const changed = new Set<string>();
		for (const directory of this.#parents) {
			const before = this.#seen.get(directory);
			const above = dirname(directory);
			// It can only be there now if the one above has changed.
			if (before === absent && this.#seen.has(above) && !changed.has(above)) continue;
			const stamp = this.#stampOf(directory);
			if (stamp !== undefined && stamp === before) continue;
			changed.add(directory);
			if (stamp === undefined) this.#seen.delete(directory);
			else this.#seen.set(directory, stamp);
		}
		return changed;
	}

	/** Undefined if a later change may have the same time, which no program can set, or if it cannot be looked at. */
	#stampOf(directory: string): string | undefined {
		try {
			const info = statSync(directory, { bigint: true, throwIfNoEntry: false });
			// What a link of the user leads to may be made anywhere else.
			if (info === undefined) return linkTarget(directory) === undefined ? absent : undefined;
			const ageMs = this.#now() - Number(info.ctimeNs / 1_000_000n);
			const isFine = info.ctimeNs % 1_000_000n !== 0n;
			const leastMs = isFine ? limits.coarsestTickMs : limits.coarsestClockMs;
			return ageMs < leastMs ? undefined : `${info.dev}:${info.ino}:${info.ctimeNs}`;
		} catch {
			// A command has put a file in its place, or has closed the one above.
			return undefined;
		}
	}
}

/** The directories of these files: a link that takes their place would lead past them. */
export function directoriesOf(paths: readonly string[], writable: readonly string[]): string[] {
	const all = new Set<string>();
	for (const path of paths)
		for (let at = dirname(path); writable.some((above) => isBelow(at, above)); at = dirname(at)) all.add(at);
	return [...all].filter((path) => linkTarget(path) === undefined).toReversed();
}

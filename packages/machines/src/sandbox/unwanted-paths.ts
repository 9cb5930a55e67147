/** Files that programs outside would run, and that commands must not make: looked for only where a directory has changed. */
import { statSync } from "node:fs";
import { dirname } from "node:path";

import { isBelow } from "./below.ts";
import type { Denial } from "./denial.ts";
import { linkTarget, removed, renamedAside } from "./disarm.ts";
import { limits } from "./limits.ts";
import { statsOf } from "./stats-of.ts";

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
	/** Those that the user has made meanwhile. */
	readonly #own = new Set<string>();
	/** Those that could not be taken away. */
	readonly #stuck = new Set<string>();
	readonly #now: () => number;

	constructor(paths: readonly string[], directories: readonly string[], now: () => number = Date.now) {
		this.#paths = paths;
		this.#directories = directories;
		const parents = new Set([...paths, ...directories].map((path) => dirname(path)));
		this.#parents = [...parents].toSorted((one, other) => one.length - other.length);
		this.#now = now;
	}

	/** Called while no process of a command runs: what is there is the user's, and what is not there has to be looked for later. */
	keep(): this {
		const changed = this.#changed();
		for (const path of this.#paths) {
			if (!changed.has(dirname(path)) || this.#stuck.has(path)) continue;
			if (statsOf(path) === undefined) this.#own.delete(path);
			else this.#own.add(path);
		}
		return this;
	}

	/** What the user has made. */
	get own(): ReadonlySet<string> {
		return this.#own;
	}

	/** Whether the user has made something that only another sandbox protects. `isIdle`: no process of a command runs. */
	hasOwn(isIdle: boolean): boolean {
		if (isIdle) this.keep();
		return this.#own.size > 0;
	}

	disarm(): Denial[] {
		const changed = this.#changed();
		const isIn = (path: string): boolean => changed.has(dirname(path));
		const links = this.#directories.filter(isIn).flatMap((path) => removed(path, runsOutside));
		const unwanted = this.#paths.filter((path) => !this.#own.has(path) && (links.length > 0 || isIn(path)));
		const files = unwanted.flatMap((path) => this.#setAside(path));
		// What could not be taken away is reported again.
		if (links.length + files.length > 0) this.#seen.clear();
		return [...links, ...files];
	}

	/** It is kept: while a command runs, the user may have made it. */
	#setAside(path: string): Denial[] {
		const denials = renamedAside(path, runsOutside);
		if (statsOf(path) === undefined) this.#stuck.delete(path);
		else this.#stuck.add(path);
		return denials;
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

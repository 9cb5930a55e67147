/**
 * Protected files whose protection has come loose: a program outside that replaces a file, as git does with its settings,
 * takes the mount over it away. From then on what a command makes of it is taken back.
 */
import { lstatSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";

import { HeldDirectory, readWritten } from "@tau/sys";
import { shortId } from "@tau/utils";

import type { Denial } from "./denial.ts";
import { disarmedSettings, openForOwner, renamedAside } from "./disarm.ts";
import { ownSettings } from "./made-settings.ts";
import { statsOf } from "./stats-of.ts";

export class LooseFiles {
	readonly #isWritable: (path: string) => boolean;
	/** Those that have mounts, unless these are lost. */
	readonly #mounted: ReadonlySet<string>;
	/** By the path: the content that is the user's; undefined if it cannot be read. */
	readonly #own = new Map<string, Buffer | undefined>();

	constructor(mounted: readonly string[], isWritable: (path: string) => boolean) {
		this.#isWritable = isWritable;
		this.#mounted = new Set(mounted.filter((path) => statsOf(path)?.isDirectory() !== true));
		this.#keepAll(this.#mounted);
	}

	/** Files that no mount protects. What they are now is the user's. */
	add(paths: Iterable<string>): void {
		this.#keepAll(paths);
	}

	/** Moved with their project. */
	moved(move: (path: string) => string): Map<string, Buffer | undefined> {
		return new Map([...this.#own].map(([path, content]) => [move(path), content]));
	}

	/** Contents that were the user's before. */
	take(contents: ReadonlyMap<string, Buffer | undefined>): void {
		for (const [path, content] of contents) this.#own.set(path, content);
	}

	has(path: string): boolean {
		return this.#own.has(path);
	}

	/** What changed while no process of a command ran is the user's. */
	keep(points: ReadonlySet<string> | undefined): void {
		this.#keepAll(this.#loose(points));
	}

	disarm(points: ReadonlySet<string> | undefined): Denial[] {
		return this.#loose(points).flatMap((path) => {
			const [own, now] = [this.#own.get(path), readWritten(path)];
			const isMounted = this.#mounted.has(path);
			if (own === absent) return isMounted ? renamedAside(path, "it is protected") : [];
			if (own === undefined || (now !== undefined && own.equals(now))) return [];
			// Without it, git finds no repository there.
			if (!isMounted && statsOf(path) === undefined) return [];
			// The user's git may have changed its settings meanwhile: only what names a program is taken out.
			if (/^config(?:\.worktree)?$/.test(basename(path)) && now !== undefined)
				return disarmedSettings(path, this.#isWritable, ownSettings(own));
			return putBack(path, own);
		});
	}

	#keepAll(paths: Iterable<string>): void {
		for (const path of paths) this.#own.set(path, statsOf(path) === undefined ? absent : readWritten(path));
	}

	/** While the sandbox does not run, all of them. */
	#loose(points: ReadonlySet<string> | undefined): string[] {
		return [...this.#own.keys()].filter((path) => points?.has(path) !== true || !this.#mounted.has(path));
	}
}

/** The user has removed it, and what is there later may be a command's. */
const absent = Buffer.alloc(0);

/** The changed version is kept beside it. */
export function putBack(path: string, content: Buffer, isOpened = false): Denial[] {
	try {
		using directory = HeldDirectory.open(dirname(path));
		const at = directory.at(basename(path));
		const info = lstatSync(at, { throwIfNoEntry: false });
		if (info?.isFile() === true || info?.isDirectory() === true)
			renameSync(at, `${at}.replaced-${shortId()}`);
		else if (info) unlinkSync(at);
		const isProgram = basename(dirname(path)) === "hooks" || content.toString("latin1", 0, 2) === "#!";
		writeFileSync(at, content, { flag: "wx", mode: isProgram ? 0o755 : 0o644 });
		return [{ what: `${path} was put back: commands cannot change it`, mayRunOutside: true }];
	} catch (error) {
		// A command may have closed its directory.
		if (!isOpened && openForOwner(dirname(path))) return putBack(path, content, true);
		return [
			{ what: `${path} could not be put back (${String(error)}): look at it first`, mayRunOutside: false },
		];
	}
}

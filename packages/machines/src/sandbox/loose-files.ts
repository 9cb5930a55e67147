/**
 * Protected files whose protection has come loose: a program outside that replaces a file, as git does with its settings,
 * takes the mount over it away. From then on what a command makes of it is taken back.
 */
import { lstatSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";

import { HeldDirectory, readWritten } from "@tau/sys";
import { shortId } from "@tau/utils";

import type { Denial } from "./denial.ts";
import { disarmedSettings } from "./disarm.ts";
import { ownSettings } from "./made-settings.ts";
import { statsOf } from "./stats-of.ts";
import type { SandboxProfile } from "./profile.ts";

export class LooseFiles {
	readonly #isWritable: (path: string) => boolean;
	/** By the path: which file was mounted. */
	readonly #mounted: Map<string, string>;
	/** By the path: the content that is the user's. */
	readonly #own = new Map<string, Buffer | undefined>();

	constructor(readOnly: SandboxProfile["readOnly"], isWritable: (path: string) => boolean) {
		this.#isWritable = isWritable;
		const files = readOnly.flatMap((path) => {
			const identity = identityOf(path);
			return identity === undefined ? [] : [[path, identity] as const];
		});
		this.#mounted = new Map(files);
		for (const [path] of files) this.#own.set(path, readWritten(path));
	}

	/** Files that no mount protects. What they are now is the user's. */
	add(paths: readonly string[]): void {
		for (const path of paths) {
			this.#mounted.set(path, unprotected);
			this.#own.set(path, readWritten(path));
		}
	}

	has(path: string): boolean {
		return this.#mounted.has(path);
	}

	/** What changed while no process of a command ran is the user's. */
	commandStarts(): void {
		for (const path of this.#loose()) this.#own.set(path, readWritten(path));
	}

	disarm(): Denial[] {
		return this.#loose().flatMap((path) => {
			const [own, now] = [this.#own.get(path), readWritten(path)];
			if (own === undefined || (now !== undefined && own.equals(now))) return [];
			// Without it, git finds no repository there.
			if (this.#mounted.get(path) === unprotected && statsOf(path) === undefined) return [];
			// The user's git may have changed its settings meanwhile: only what names a program is taken out.
			if (/^config(?:\.worktree)?$/.test(basename(path)) && now !== undefined)
				return disarmedSettings(path, this.#isWritable, ownSettings(own));
			return putBack(path, own);
		});
	}

	#loose(): string[] {
		return [...this.#mounted]
			.filter(([path, identity]) => identityOf(path) !== identity)
			.map(([path]) => path);
	}
}

/** The identity of no file. */
const unprotected = "unprotected";

/** Undefined for what is no file: a directory that is mounted is not replaced by the way. */
function identityOf(path: string): string | undefined {
	try {
		const info = lstatSync(path, { throwIfNoEntry: false });
		return info?.isDirectory() === true ? undefined : `${info?.dev}:${info?.ino}`;
	} catch {
		// A command has put something in the place of its directory.
		return "";
	}
}

/** The changed version is kept beside it. */
export function putBack(path: string, content: Buffer): Denial[] {
	try {
		using directory = HeldDirectory.open(dirname(path));
		const at = directory.at(basename(path));
		const info = lstatSync(at, { throwIfNoEntry: false });
		if (info?.isFile() === true || info?.isDirectory() === true)
			renameSync(at, `${at}.replaced-${shortId()}`);
		else if (info) unlinkSync(at);
		writeFileSync(at, content, { flag: "wx", mode: basename(dirname(path)) === "hooks" ? 0o755 : 0o644 });
		return [{ what: `${path} was put back: commands cannot change it`, mayRunOutside: true }];
	} catch (error) {
		return [
			{ what: `${path} could not be put back (${String(error)}): look at it first`, mayRunOutside: false },
		];
	}
}

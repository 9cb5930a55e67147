/**
 * Repositories of the user that lie deeper in the project than mounts protect: what git runs of them is remembered when a command
 * starts, and what differs afterwards is taken back.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";

import { readWritten } from "@tau/sys";

import type { Denial } from "./denial.ts";
import { disarmedHooks, disarmedSettings, modeRestored, removed, setAside } from "./disarm.ts";
import { configuredCode, type ConfiguredCode } from "./git-paths.ts";
import { workTree } from "./gitlinks.ts";
import type { LooseFiles } from "./loose-files.ts";
import { isAt, stampOf, statsOf, type Stamp } from "./stats-of.ts";

interface Hook {
	readonly text: Buffer;
	readonly mode: number;
}

export class OwnRepositories {
	/** Directories of repositories. */
	readonly #directories: readonly string[];
	readonly #loose: LooseFiles;
	readonly #isWritable: (path: string) => boolean;
	/** Of the user, whose settings count there, too. */
	readonly #home: string;
	/** By the directory of a repository: what its settings named, and when they were changed last. */
	readonly #configured = new Map<string, ConfiguredCode & { readonly stamp: Stamp | undefined }>();
	/** By the directory that they are in: by name. */
	readonly #hooks = new Map<string, ReadonlyMap<string, Hook>>();
	/** Settings that others include, and that are not there. */
	#absent: readonly string[] = [];

	constructor(
		directories: readonly string[],
		loose: LooseFiles,
		isWritable: (path: string) => boolean,
		home: string,
	) {
		this.#directories = directories;
		this.#loose = loose;
		this.#isWritable = isWritable;
		this.#home = home;
		this.keep();
	}

	/** What is there is the user's. */
	keep(): void {
		this.#hooks.clear();
		this.#absent = [];
		for (const gitDir of this.#directories) {
			const { hooks, settings } = this.#codeOf(gitDir);
			const isThere = (path: string): boolean => statsOf(path) !== undefined;
			for (const directory of [join(gitDir, "hooks"), ...hooks]) {
				const found = hooksIn(directory);
				this.#hooks.set(directory, found);
				this.#loose.add([...found.keys()].map((name) => join(directory, name)));
			}
			const files = ["config", "config.worktree", "commondir"].map((name) => join(gitDir, name));
			this.#loose.add([...files, ...settings].filter(isThere));
			this.#absent = [...this.#absent, ...settings.filter((path) => !isThere(path))];
		}
	}

	has(directory: string): boolean {
		return this.#directories.includes(directory);
	}

	/** In whose place a command has put a file or a link. */
	replaced(): string[] {
		return this.#directories.filter((path) => {
			const stats = statsOf(path);
			return stats !== undefined && !stats.isDirectory();
		});
	}

	/** After what is loose was put back. */
	disarm(): Denial[] {
		const ofHooks = [...this.#hooks].flatMap(([directory, own]) => [
			...disarmedHooks(directory, new Map([...own].map(([name, { text }]) => [name, text]))),
			...[...own].flatMap(([name, { mode }]) => modeRestored(join(directory, name), mode)),
		]);
		const ofSettings = this.#directories.flatMap((path) => {
			const isOwn = (name: string): boolean => this.#loose.has(join(path, name));
			return [
				...(isOwn("config.worktree")
					? []
					: disarmedSettings(join(path, "config.worktree"), this.#isWritable)),
				...(isOwn("commondir") ? [] : removed(join(path, "commondir"), "it leads git to another repository")),
			];
		});
		const included = this.#absent.flatMap((path) => setAside(path, "git would read it as settings"));
		return [...ofHooks, ...ofSettings, ...included];
	}

	/** Reading settings takes a fifth of a millisecond: only where they have changed. Nothing that is protected is looked at here. */
	#codeOf(gitDir: string): ConfiguredCode {
		const stats = statsOf(join(gitDir, "config"));
		const known = this.#configured.get(gitDir);
		if (known && stats && isAt(known.stamp, stats)) return known;
		const { hooks, settings } = configuredCode(gitDir, workTree(gitDir), this.#home);
		const found = { hooks: hooks.filter(this.#isWritable), settings: settings.filter(this.#isWritable) };
		this.#configured.set(gitDir, { ...found, stamp: stats && stampOf(stats) });
		return found;
	}
}

function hooksIn(directory: string): ReadonlyMap<string, Hook> {
	const hooks = new Map<string, Hook>();
	try {
		for (const name of readdirSync(directory)) {
			const path = join(directory, name);
			const stats = statsOf(path);
			const text = name.endsWith(".sample") ? undefined : readWritten(path);
			if (text !== undefined && stats) hooks.set(name, { text, mode: Number(stats.mode) & 0o777 });
		}
	} catch {
		// There are none.
	}
	return hooks;
}

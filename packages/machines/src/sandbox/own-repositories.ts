/**
 * Repositories of the user that lie deeper in the project than mounts protect: what git runs of them is remembered when a command
 * starts, and what differs afterwards is taken back.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";

import { readWritten } from "@tau/sys";

import type { Denial } from "./denial.ts";
import { disarmedHooks, disarmedSettings, removed } from "./disarm.ts";
import type { LooseFiles } from "./loose-files.ts";
import { statsOf } from "./stats-of.ts";

export class OwnRepositories {
	/** Directories of repositories. */
	readonly #directories: readonly string[];
	readonly #loose: LooseFiles;
	readonly #isWritable: (path: string) => boolean;
	/** By the directory: its hooks. */
	readonly #hooks = new Map<string, ReadonlyMap<string, Buffer>>();

	constructor(directories: readonly string[], loose: LooseFiles, isWritable: (path: string) => boolean) {
		this.#directories = directories;
		this.#loose = loose;
		this.#isWritable = isWritable;
		this.keep();
	}

	/** What is there is the user's. */
	keep(): void {
		for (const path of this.#directories) {
			const hooks = hooksIn(join(path, "hooks"));
			this.#hooks.set(path, hooks);
			const files = [
				"config",
				"config.worktree",
				"commondir",
				...[...hooks.keys()].map((name) => `hooks/${name}`),
			];
			this.#loose.add(files.map((name) => join(path, name)).filter((file) => statsOf(file) !== undefined));
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
		return this.#directories.flatMap((path) => {
			const isOwn = (name: string): boolean => this.#loose.has(join(path, name));
			return [
				...disarmedHooks(join(path, "hooks"), this.#hooks.get(path)),
				...(isOwn("config.worktree")
					? []
					: disarmedSettings(join(path, "config.worktree"), this.#isWritable)),
				...(isOwn("commondir") ? [] : removed(join(path, "commondir"), "it leads git to another repository")),
			];
		});
	}
}

function hooksIn(directory: string): ReadonlyMap<string, Buffer> {
	const hooks = new Map<string, Buffer>();
	try {
		for (const name of readdirSync(directory)) {
			const text = name.endsWith(".sample") ? undefined : readWritten(join(directory, name));
			if (text !== undefined) hooks.set(name, text);
		}
	} catch {
		// There are none.
	}
	return hooks;
}

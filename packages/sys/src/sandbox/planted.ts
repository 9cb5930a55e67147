/**
 * Disarms what a command has planted where nothing existed that a mount could protect: hooks of a new repository, and a
 * file that would give a repository another configuration. Git would run them later, outside.
 */
import { chmodSync, existsSync, lstatSync, readdirSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";

import type { Denial } from "./denial.ts";
import { limits } from "./limits.ts";
import type { SandboxProfile } from "./profile.ts";

export class PlantedFiles {
	/** A repository that a command may create. */
	readonly #newRepository: string | undefined;
	/** Files that have no place in a repository that is not a worktree. */
	readonly #pointers: readonly string[];

	constructor({ cwd, writable }: Pick<SandboxProfile, "cwd" | "writable">) {
		const dotGit = join(cwd, ".git");
		this.#newRepository = writable.includes(cwd) && !existsSync(dotGit) ? dotGit : undefined;
		const repositories = writable.filter((path) => existsSync(join(path, "HEAD")));
		this.#pointers = [...repositories, dotGit]
			.map((path) => join(path, "commondir"))
			.filter((path) => !existsSync(path));
	}

	/** After a command. */
	disarm(): Denial[] {
		return [...this.#pointers.flatMap(removed), ...this.#hooks().flatMap(disabled)];
	}

	#hooks(): string[] {
		const hooks = this.#newRepository === undefined ? undefined : join(this.#newRepository, "hooks");
		// Not through a link: we can reach more than the command that made it.
		if (hooks === undefined || !isDirectory(this.#newRepository) || !isDirectory(hooks)) return [];
		const names = readdirSync(hooks).slice(0, limits.hooks);
		return names.filter((name) => !name.endsWith(".sample")).map((name) => join(hooks, name));
	}
}

function removed(path: string): Denial[] {
	if (!isDirectory(dirname(path)) || lstatSync(path, { throwIfNoEntry: false }) === undefined) return [];
	try {
		unlinkSync(path);
	} catch {
		// A directory, which git does not read either.
		return [];
	}
	return [
		{ what: `${path} was removed: it gives the repository another configuration`, mayRunOutside: false },
	];
}

/** Git runs only hooks that are executable. */
function disabled(path: string): Denial[] {
	const info = lstatSync(path, { throwIfNoEntry: false });
	if (!info || (!info.isSymbolicLink() && (info.mode & 0o111) === 0)) return [];
	try {
		if (info.isSymbolicLink()) unlinkSync(path);
		else if (info.isFile()) chmodSync(path, info.mode & 0o666);
	} catch {
		return [];
	}
	return [{ what: `${path} was disabled: git would run it outside`, mayRunOutside: false }];
}

function isDirectory(path: string | undefined): boolean {
	return path !== undefined && lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

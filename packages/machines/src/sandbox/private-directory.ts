/** Directories of this process for a sandbox, deleted with it. */
import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { log, temporaryDirectory } from "@tau/utils";

import { findOwn, standardPath } from "@tau/sys";

/** The directories of all sandboxes of this process. */
const roots = new Set<string>();

export class PrivateDirectory implements Disposable {
	#root: string | undefined;

	/** Created when it is needed. */
	get path(): string {
		if (this.#root === undefined) {
			this.#root = temporaryDirectory("sandbox");
			roots.add(this.#root);
			process.once("exit", this.#remove);
		}
		return this.#root;
	}

	has(path: string): boolean {
		return this.#root !== undefined && (path === this.#root || path.startsWith(`${this.#root}/`));
	}

	/** A directory below, with these permissions regardless of the umask. */
	directory(name: string, mode = 0o700): string {
		const path = join(this.path, name);
		// Landlock does not keep a command from changing the mode of what is the user's own.
		chmodSync(this.path, 0o700);
		mkdirSync(path, { recursive: true });
		chmodSync(path, mode);
		return path;
	}

	/** Only after the processes inside have ended: they could replace a directory by a link meanwhile. */
	[Symbol.dispose](): void {
		this.#remove();
	}

	readonly #remove = (): void => {
		process.off("exit", this.#remove);
		const root = this.#root;
		this.#root = undefined;
		if (root === undefined) return;
		removeTree(root);
		roots.delete(root);
	};
}

function removeTree(root: string): void {
	const remove = (): void => rmSync(root, { recursive: true, force: true });
	try {
		remove();
	} catch {
		// A command has left directories that cannot be listed.
		Bun.spawnSync([findOwn("chmod") ?? "/bin/chmod", "-R", "u+rwX", root], {
			env: { PATH: standardPath },
			stdout: "ignore",
			stderr: "ignore",
		});
		try {
			remove();
		} catch (error) {
			log.warn("temporary files of the sandbox were left", { root, reason: String(error) });
		}
	}
}

/** Whether a path is below a directory of a sandbox of this process. */
export function isPrivate(path: string): boolean {
	return [...roots].some((root) => isAtOrBelow(path, root));
}

/** What a sandbox keeps for itself, such as its filter: no tool may touch it. */
export function isOfSandbox(path: string): boolean {
	return [...roots].some(
		(root) =>
			(path === root || path.startsWith(`${root}/`)) &&
			!Object.values(directories).some((name) => isAtOrBelow(path, join(root, name))),
	);
}

/** The directories for temporary files, and the names under which they are kept. */
const directories = { "/tmp": "tmp", "/var/tmp": "vartmp" } as const;
type Temporary = keyof typeof directories;

/** The one of the two that the path is, or is below. */
export function temporaryRoot(path: string): Temporary | undefined {
	return isAtOrBelow(path, "/tmp") ? "/tmp" : isAtOrBelow(path, "/var/tmp") ? "/var/tmp" : undefined;
}

/** The entry of a directory for temporary files that contains a path: it belongs to one side as a whole. */
export function temporaryEntry(path: string): string | undefined {
	const root = temporaryRoot(path);
	const name = root === undefined ? "" : path.slice(root.length + 1).split("/", 1)[0];
	return root === undefined || !name ? undefined : `${root}/${name}`;
}

/** The directories for temporary files that commands see as their own: a session has one for all of its sandboxes. */
export class PrivateTemporary implements Disposable {
	readonly #directory = new PrivateDirectory();
	/** Entries of the shared directories that commands see as they are. */
	readonly #shown = new Set<string>();

	get tmp(): string {
		return this.#kept("/tmp");
	}

	get varTmp(): string {
		return this.#kept("/var/tmp");
	}

	/** True for a path of this process below one of the directories. */
	has(path: string): boolean {
		return this.#directory.has(path);
	}

	/** From now on, commands see these entries as they are. */
	show(paths: readonly string[]): void {
		for (const path of paths) this.#shown.add(path);
	}

	/**
	 * Where this process finds what commands see at a path. Undefined for a path that is the host's: one that they see
	 * as it is, and one that only the host has.
	 */
	find(path: string): string | undefined {
		const root = temporaryRoot(path);
		if (root === undefined || this.has(path)) return undefined;
		const entry = temporaryEntry(path);
		const kept = this.#kept(root);
		const isHosts =
			entry !== undefined &&
			(this.#shown.has(entry) || (!exists(kept + entry.slice(root.length)) && exists(entry)));
		return isHosts ? undefined : kept + path.slice(root.length);
	}

	/** The path under which commands know a file of this directory. */
	shownPath(path: string): string {
		for (const root of ["/tmp", "/var/tmp"] as const) {
			const kept = this.has(path) ? this.#kept(root) : undefined;
			if (kept !== undefined && isAtOrBelow(path, kept)) return root + path.slice(kept.length);
		}
		return path;
	}

	[Symbol.dispose](): void {
		this.#directory[Symbol.dispose]();
	}

	#kept(root: Temporary): string {
		return this.#directory.directory(directories[root], 0o1777);
	}
}

function isAtOrBelow(path: string, above: string): boolean {
	return path === above || path.startsWith(`${above}/`);
}

/** A link counts even if it leads nowhere. */
function exists(path: string): boolean {
	return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

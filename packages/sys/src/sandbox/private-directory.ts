/** Directories of this process for a sandbox, deleted with it. */
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { log, temporaryDirectory } from "@tau/utils";

import { standardPath } from "../shell/index.ts";

export class PrivateDirectory implements Disposable {
	#root: string | undefined;

	/** Created when it is needed. */
	get path(): string {
		if (this.#root === undefined) {
			this.#root = temporaryDirectory("sandbox");
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
		if (root !== undefined) removeTree(root);
	};
}

function removeTree(root: string): void {
	const remove = (): void => rmSync(root, { recursive: true, force: true });
	try {
		remove();
	} catch {
		// A command has left directories that cannot be listed.
		Bun.spawnSync(["chmod", "-R", "u+rwX", root], {
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

/** The directories for temporary files that commands see as their own: a session has one for all of its sandboxes. */
export class PrivateTemporary implements Disposable {
	readonly #directory = new PrivateDirectory();

	get tmp(): string {
		return this.#directory.directory("tmp", 0o1777);
	}

	get varTmp(): string {
		return this.#directory.directory("vartmp", 0o1777);
	}

	has(path: string): boolean {
		return this.#directory.has(path);
	}

	[Symbol.dispose](): void {
		this.#directory[Symbol.dispose]();
	}
}

/** A private directory for a session without a log: its name cannot be guessed, and it is deleted at the end. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { isOwnDirectory, listen, log, temporaryDirectory } from "@tau/utils";

/** A file with this text, for a program that reads files alone. */
export function temporaryFile(text: string): Disposable & { readonly path: string } {
	const directory = new TemporaryDirectory();
	const path = join(directory.path, "text");
	writeFileSync(path, text, { mode: 0o600 });
	return { path, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

export class TemporaryDirectory implements Disposable {
	readonly #parent: string | undefined;
	#path: string | undefined;
	#atExit: Disposable | undefined;

	constructor(parent?: string) {
		this.#parent = parent;
	}

	/** Creates the directory on first use, and again if it was cleaned up meanwhile. */
	get path(): string {
		if (this.#path === undefined || !isOwnDirectory(this.#path))
			this.#path = temporaryDirectory("session", this.#parent);
		// This also runs in a process that exits without disposing of anything.
		this.#atExit ??= listen(process, "exit", () => this.#remove());
		return this.#path;
	}

	[Symbol.dispose](): void {
		this.#atExit?.[Symbol.dispose]();
		this.#atExit = undefined;
		this.#remove();
	}

	#remove(): void {
		const path = this.#path;
		this.#path = undefined;
		try {
			if (path !== undefined) rmSync(path, { recursive: true, force: true });
		} catch (error) {
			// The system cleans its directory for temporary files by itself.
			log.debug("cannot remove a temporary directory", { path, reason: String(error) });
		}
	}
}

/** A private directory for a session without a log: its name cannot be guessed, and it is deleted at the end. */
import { lstatSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { listen, log } from "@tau/utils";

export class TemporaryDirectory implements Disposable {
	readonly #prefix: string;
	#path: string | undefined;
	#atExit: Disposable | undefined;

	constructor(prefix = join(tmpdir(), "tau-")) {
		this.#prefix = prefix;
	}

	/** Creates the directory on first use, and again if it was cleaned up meanwhile. */
	get path(): string {
		if (this.#path === undefined || !isOwn(this.#path)) this.#path = mkdtempSync(this.#prefix);
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
			log.debug("a temporary directory stays behind", { path, reason: String(error) });
		}
	}
}

/** After a clean-up another user may have created a directory with this name, which is no longer secret. */
function isOwn(path: string): boolean {
	const found = lstatSync(path, { throwIfNoEntry: false });
	return found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid());
}

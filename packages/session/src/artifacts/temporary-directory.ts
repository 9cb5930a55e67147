/** A directory of its own for a session that keeps nothing: private, under a name that nobody can guess, gone at the end. */
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

	/** Made when it is first asked for, and again when somebody cleaned up meanwhile. */
	get path(): string {
		if (this.#path === undefined || !isOwn(this.#path)) this.#path = mkdtempSync(this.#prefix);
		// A process that ends without disposing of anything still runs this.
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
			// The system clears its directory for temporary files by itself.
			log.debug("a temporary directory stays behind", { path, reason: String(error) });
		}
	}
}

/** After a clean-up somebody else may have made one of the same name, which is no secret any more. */
function isOwn(path: string): boolean {
	const found = lstatSync(path, { throwIfNoEntry: false });
	return found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid());
}

/** The directories of a worker: one for each task, removed with it; those of a worker that was killed are removed later. */
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { log, privateDirectory, takeLock, type Lock } from "@tau/utils";

const nameSyntax = /^worker-[\w-]+$/;

export class WorkDirectories implements Disposable {
	readonly #path: string;
	readonly #lock: Lock;

	private constructor(path: string, lock: Lock) {
		this.#path = path;
		this.#lock = lock;
	}

	/** Removes what killed workers have left beside it. Their sessions have ended with them. */
	static open(parent: string, workerId: string): WorkDirectories {
		privateDirectory(parent);
		for (const name of readdirSync(parent)) if (nameSyntax.test(name)) sweep(join(parent, name));
		const path = join(parent, `worker-${workerId}`);
		const taken = takeLock(path);
		if (!taken.ok) throw new Error(`Another worker has the id ${workerId}.`);
		mkdirSync(path, { mode: 0o700 });
		return new WorkDirectories(path, taken.lock);
	}

	create(name: string): Disposable & { readonly path: string } {
		const path = join(this.#path, name);
		mkdirSync(path, { mode: 0o700 });
		return { path, [Symbol.dispose]: () => remove(path) };
	}

	[Symbol.dispose](): void {
		remove(this.#path);
		this.#lock[Symbol.dispose]();
	}
}

function sweep(path: string): void {
	const taken = takeLock(path);
	if (!taken.ok) return;
	using _lock = taken.lock;
	if (existsSync(path)) remove(path);
}

function remove(path: string): void {
	try {
		rmSync(path, { recursive: true, force: true });
	} catch (error) {
		log.warn("a directory of a task cannot be removed", { path, reason: String(error) });
	}
}

/** Tells processes that share a file that it has changed: a byte in a file beside it, which all of them watch. */
import { watch, writeFileSync, type FSWatcher } from "node:fs";

import { log, onDispose } from "@tau/utils";

import { limits } from "../limits.ts";

export class Changes implements Disposable {
	readonly #path: string;
	readonly #listeners = new Set<() => void>();
	#watcher: FSWatcher | undefined;
	#poll: Timer | undefined;

	constructor(path: string) {
		this.#path = path;
	}

	announce(): void {
		try {
			writeFileSync(this.#path, ".", { mode: 0o600 });
		} catch (error) {
			// A full disk: others notice at their next look.
			log.warn("a change of the fleet cannot be announced", { reason: String(error) });
		}
	}

	onChange(listener: () => void): Disposable {
		this.#listeners.add(listener);
		if (this.#listeners.size === 1) this.#start();
		return onDispose(() => {
			this.#listeners.delete(listener);
			if (this.#listeners.size === 0) this[Symbol.dispose]();
		});
	}

	[Symbol.dispose](): void {
		this.#watcher?.close();
		this.#watcher = undefined;
		clearInterval(this.#poll);
	}

	#start(): void {
		const emit = (): void => {
			for (const listener of this.#listeners) listener();
		};
		// Also without a watch, which a system may refuse: there are few of them for a user.
		this.#poll = setInterval(emit, limits.pollMs);
		this.announce();
		try {
			this.#watcher = watch(this.#path, emit);
			this.#watcher.on("error", (error) => log.warn("the fleet is not watched", { reason: String(error) }));
		} catch (error) {
			log.warn("the fleet is not watched", { reason: String(error) });
		}
	}
}

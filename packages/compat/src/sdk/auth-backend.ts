/** Where an `AuthStorage` other than Tau's own stores its text: a private file, or memory. */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { dirs, uuidv7 } from "@tau/utils";
import { lockFiles } from "@tau/sys";

interface Change<T> {
	result: T;
	/** The new content; undefined if it is unchanged. */
	next?: string;
}

/** The names are pi's. */
export interface AuthStorageBackend {
	withLock<T>(change: (current: string | undefined) => Change<T>): T;
	withLockAsync<T>(change: (current: string | undefined) => Promise<Change<T>>): Promise<T>;
}

export class InMemoryAuthStorageBackend implements AuthStorageBackend {
	#text: string | undefined;

	withLock<T>(change: (current: string | undefined) => Change<T>): T {
		return this.#keep(change(this.#text));
	}

	async withLockAsync<T>(change: (current: string | undefined) => Promise<Change<T>>): Promise<T> {
		return this.#keep(await change(this.#text));
	}

	#keep<T>({ result, next }: Change<T>): T {
		if (next !== undefined) this.#text = next;
		return result;
	}
}

/** Written atomically: of two programs that write at the same moment, the last one wins. */
export class FileAuthStorageBackend implements AuthStorageBackend {
	readonly #path: string;

	constructor(authPath: string = join(dirs().agent, "auth.json")) {
		this.#path = authPath;
	}

	withLock<T>(change: (current: string | undefined) => Change<T>): T {
		return this.#keep(change(this.#read()));
	}

	async withLockAsync<T>(change: (current: string | undefined) => Promise<Change<T>>): Promise<T> {
		using lock = await lockFiles([this.#path], new AbortController().signal);
		if (!lock) throw new Error(`Another process is writing ${this.#path}.`);
		return this.#keep(await change(this.#read()));
	}

	#read(): string | undefined {
		try {
			return readFileSync(this.#path, "utf8");
		} catch (error) {
			if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
			throw error;
		}
	}

	/** Atomic, and private to the user. */
	#keep<T>({ result, next }: Change<T>): T {
		if (next === undefined) return result;
		mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
		const fresh = `${this.#path}.${uuidv7()}`;
		writeFileSync(fresh, next, { mode: 0o600 });
		chmodSync(fresh, 0o600);
		renameSync(fresh, this.#path);
		return result;
	}
}

/** A store of this browser whose records are encrypted by a key that never leaves it. */

import { limits } from "../limits.ts";

interface Sealed {
	readonly name: string;
	readonly savedAt: number;
	readonly iv: Uint8Array<ArrayBuffer>;
	readonly bytes: ArrayBuffer;
}

export interface Kept<T> {
	readonly value: T;
	/** Milliseconds since 1970. */
	readonly savedAt: number;
}

export interface SealedStoreOptions {
	/** The database; pages of one origin that name the same one share it. */
	readonly name: string;
	/** Records beyond these: the oldest are dropped. */
	readonly mostRecords: number;
	/** A record that is larger is refused. */
	readonly mostBytes: number;
}

const cipher = "AES-GCM";

export class SealedStore {
	readonly #options: SealedStoreOptions;
	#opening: Promise<IDBDatabase> | undefined;
	/** Until the page is loaded again: what is still open in it must not come back. */
	#isForgotten = false;

	constructor(options: SealedStoreOptions) {
		this.#options = options;
	}

	/** False if it is too large, or all was forgotten. Rejects if the browser refuses its store. */
	async keep(name: string, value: unknown): Promise<boolean> {
		if (this.#isForgotten) return false;
		const plain = new TextEncoder().encode(JSON.stringify(value));
		if (plain.length > this.#options.mostBytes) return false;
		const store = await this.#database();
		const iv = crypto.getRandomValues(new Uint8Array(12));
		// The name is sealed with it: no record can be put in the place of another.
		const additionalData = new TextEncoder().encode(name);
		const algorithm = { name: cipher, iv, additionalData };
		const bytes = await crypto.subtle.encrypt(algorithm, await sealingKey(store), plain);
		const record: Sealed = { name, savedAt: Date.now(), iv, bytes };
		await settled(records(store, "readwrite").put(record));
		await this.#dropOldest(store);
		return true;
	}

	/** Undefined if there is none, or none that can be read. */
	async kept<T>(name: string): Promise<Kept<T> | undefined> {
		try {
			const store = await this.#database();
			const record = await settled<Sealed | undefined>(records(store).get(name));
			if (!record) return undefined;
			const { iv, bytes, savedAt } = record;
			const algorithm = { name: cipher, iv, additionalData: new TextEncoder().encode(name) };
			const plain = await crypto.subtle.decrypt(algorithm, await sealingKey(store), bytes);
			// Only this page writes it.
			return { value: JSON.parse(new TextDecoder().decode(plain)) as T, savedAt };
		} catch {
			// A private window has no store, and a damaged record is as good as none.
			return undefined;
		}
	}

	/** The newest first. */
	async names(): Promise<string[]> {
		const all = await settled<Sealed[]>(records(await this.#database()).getAll());
		return all.toSorted((one, other) => other.savedAt - one.savedAt).map(({ name }) => name);
	}

	async drop(name: string): Promise<void> {
		await settled(records(await this.#database(), "readwrite").delete(name));
	}

	/** Deletes everything, the key too. */
	forgetAll(): void {
		this.#isForgotten = true;
		void this.#opening?.then(
			(store) => store.close(),
			() => {},
		);
		this.#opening = undefined;
		if ("indexedDB" in globalThis) indexedDB.deleteDatabase(this.#options.name);
	}

	#database(): Promise<IDBDatabase> {
		this.#opening ??= this.#open().catch((error: unknown) => {
			this.#opening = undefined;
			throw error;
		});
		return this.#opening;
	}

	async #open(): Promise<IDBDatabase> {
		const request = indexedDB.open(this.#options.name, 1);
		request.addEventListener("upgradeneeded", () => {
			request.result.createObjectStore("keys");
			request.result.createObjectStore("sealed", { keyPath: "name" });
		});
		const made = await inTime(request);
		// Another tab deletes everything, and waits for nobody.
		made.addEventListener("versionchange", () => {
			made.close();
			this.#opening = undefined;
		});
		return made;
	}

	async #dropOldest(store: IDBDatabase): Promise<void> {
		for (const name of (await this.names()).slice(this.#options.mostRecords))
			await settled(records(store, "readwrite").delete(name));
	}
}

function records(store: IDBDatabase, mode: IDBTransactionMode = "readonly"): IDBObjectStore {
	return store.transaction("sealed", mode).objectStore("sealed");
}

/**
 * The database. A page that the browser keeps for the Back button may hold up its deletion, and with it everybody who
 * opens it: rejects then, and what comes too late is closed.
 */
async function inTime(request: IDBOpenDBRequest): Promise<IDBDatabase> {
	const late = Promise.withResolvers<never>();
	const timer = setTimeout(() => {
		request.addEventListener("success", () => request.result.close());
		late.reject(new Error("The browser's store does not answer."));
	}, limits.storeMs);
	try {
		return await Promise.race([settled(request), late.promise]);
	} finally {
		clearTimeout(timer);
	}
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
	const { promise, resolve, reject } = Promise.withResolvers<T>();
	request.addEventListener("success", () => resolve(request.result));
	request.addEventListener("error", () => reject(request.error ?? new Error("The browser's store failed.")));
	return promise;
}

/** It cannot be exported: a copy of the browser's store is unreadable. */
async function sealingKey(store: IDBDatabase): Promise<CryptoKey> {
	const known = await settled<CryptoKey | undefined>(
		store.transaction("keys").objectStore("keys").get(cipher),
	);
	if (known) return known;
	const made = await crypto.subtle.generateKey({ name: cipher, length: 256 }, false, ["encrypt", "decrypt"]);
	const keys = store.transaction("keys", "readwrite").objectStore("keys");
	// Another tab may have been faster: its key is the one that counts.
	await settled(keys.add(made, cipher)).catch(() => {});
	return (
		(await settled<CryptoKey | undefined>(store.transaction("keys").objectStore("keys").get(cipher))) ?? made
	);
}

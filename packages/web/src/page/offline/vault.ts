/** What this browser keeps to read without a network: encrypted by a key that never leaves the browser's own store. */
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

const databaseName = "tau";
const cipher = "AES-GCM";
let opening: Promise<IDBDatabase> | undefined;
/** Until the page is loaded again: what is still open in it must not come back. */
let isForgotten = false;

function database(): Promise<IDBDatabase> {
	opening ??= opened().catch((error: unknown) => {
		opening = undefined;
		throw error;
	});
	return opening;
}

async function opened(): Promise<IDBDatabase> {
	const request = indexedDB.open(databaseName, 1);
	request.addEventListener("upgradeneeded", () => {
		request.result.createObjectStore("keys");
		request.result.createObjectStore("sealed", { keyPath: "name" });
	});
	const made = await settled(request);
	// Another tab signs out: it deletes everything, and waits for nobody.
	made.addEventListener("versionchange", () => {
		made.close();
		opening = undefined;
	});
	return made;
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
	const { promise, resolve, reject } = Promise.withResolvers<T>();
	request.addEventListener("success", () => resolve(request.result));
	request.addEventListener("error", () => reject(request.error ?? new Error("The browser's store failed.")));
	return promise;
}

/** It cannot be exported: a copy of the browser's files is unreadable without it. */
async function vaultKey(store: IDBDatabase): Promise<CryptoKey> {
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

/** Rejects if the browser refuses its store. What is too large is left out. */
export async function keep(name: string, value: unknown): Promise<void> {
	if (isForgotten) return;
	const plain = new TextEncoder().encode(JSON.stringify(value));
	if (plain.length > limits.keptBytes) return;
	const store = await database();
	const iv = crypto.getRandomValues(new Uint8Array(12));
	// The name is sealed with it: no record can be put in the place of another.
	const additionalData = new TextEncoder().encode(name);
	const algorithm = { name: cipher, iv, additionalData };
	const bytes = await crypto.subtle.encrypt(algorithm, await vaultKey(store), plain);
	const record: Sealed = { name, savedAt: Date.now(), iv, bytes };
	await settled(store.transaction("sealed", "readwrite").objectStore("sealed").put(record));
	await dropOldest(store);
}

/** Undefined if there is none, or none that can be read. */
export async function kept<T>(name: string): Promise<Kept<T> | undefined> {
	try {
		const store = await database();
		const record = await settled<Sealed | undefined>(
			store.transaction("sealed").objectStore("sealed").get(name),
		);
		if (!record) return undefined;
		const { iv, bytes, savedAt } = record;
		const algorithm = { name: cipher, iv, additionalData: new TextEncoder().encode(name) };
		const plain = await crypto.subtle.decrypt(algorithm, await vaultKey(store), bytes);
		// Only this page writes it.
		return { value: JSON.parse(new TextDecoder().decode(plain)) as T, savedAt };
	} catch {
		// A private window has no store, and a damaged record is as good as none.
		return undefined;
	}
}

/** The user is signed out: nothing of the sessions stays in this browser. */
export function forgetAll(): void {
	isForgotten = true;
	void opening?.then(
		(store) => store.close(),
		() => {},
	);
	opening = undefined;
	if ("indexedDB" in globalThis) indexedDB.deleteDatabase(databaseName);
}

async function dropOldest(store: IDBDatabase): Promise<void> {
	const all = await settled<Sealed[]>(store.transaction("sealed").objectStore("sealed").getAll());
	const old = all.toSorted((one, other) => other.savedAt - one.savedAt).slice(limits.keptRecords);
	for (const { name } of old)
		await settled(store.transaction("sealed", "readwrite").objectStore("sealed").delete(name));
}

/** Where shares are kept: a directory, or a bucket of S3 or something that speaks like it. */
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { S3Client, type BunFile, type S3File } from "bun";
import { errorCode, UsageError } from "@tau/utils";

import { limits } from "./limits.ts";

export interface ShareStore {
	/** False if there is no more room. */
	put(id: string, bytes: Uint8Array): Promise<boolean>;
	get(id: string): Promise<BunFile | S3File | undefined>;
	remove(id: string): Promise<void>;
	/** Removes what `isOver` says; a bucket has rules of its own for that. */
	sweep(isOver: (start: Uint8Array) => boolean): Promise<void>;
}

/** A path, or `s3://bucket/prefix` with the variables that Bun reads (S3_ENDPOINT, S3_ACCESS_KEY_ID, …). */
export async function openShareStore(place: string): Promise<ShareStore> {
	if (!place.startsWith("s3://")) return await DirectoryStore.open(place);
	const [bucket = "", ...prefix] = place.slice("s3://".length).split("/");
	if (bucket === "")
		throw new UsageError(`"${place}" names no bucket. Give s3://bucket or s3://bucket/prefix.`);
	const folder = prefix.flatMap((part) => (part === "" ? [] : `${part}/`)).join("");
	return new BucketStore(new S3Client({ bucket }), folder);
}

class DirectoryStore implements ShareStore {
	readonly #path: string;
	#bytes = 0;

	private constructor(path: string) {
		this.#path = path;
	}

	static async open(path: string): Promise<DirectoryStore> {
		await mkdir(path, { recursive: true, mode: 0o700 });
		const store = new DirectoryStore(path);
		for (const name of await readdir(path)) {
			// What an upload that a crash cut off has left.
			if (name.endsWith(partial)) await rm(join(path, name), { force: true });
			else store.#bytes += (await stat(join(path, name))).size;
		}
		return store;
	}

	async put(id: string, bytes: Uint8Array): Promise<boolean> {
		if (this.#bytes + bytes.length > limits.share.totalBytes) return false;
		this.#bytes += bytes.length;
		const path = join(this.#path, id);
		try {
			await Bun.write(path + partial, bytes, { mode: 0o600 });
			await rename(path + partial, path);
		} catch (error) {
			this.#bytes -= bytes.length;
			await rm(path + partial, { force: true });
			if (errorCode(error) === "ENOSPC") return false;
			throw error;
		}
		return true;
	}

	async get(id: string): Promise<BunFile | undefined> {
		const file = Bun.file(join(this.#path, id));
		return (await file.exists()) ? file : undefined;
	}

	async remove(id: string): Promise<void> {
		const path = join(this.#path, id);
		const { size } = Bun.file(path);
		await rm(path, { force: true });
		this.#bytes -= size;
	}

	async sweep(isOver: (start: Uint8Array) => boolean): Promise<void> {
		for (const name of await readdir(this.#path)) {
			if (name.endsWith(partial)) continue;
			const start = await Bun.file(join(this.#path, name)).slice(0, 64).bytes();
			if (isOver(start)) await this.remove(name);
		}
	}
}

const partial = ".partial";

class BucketStore implements ShareStore {
	readonly #client: S3Client;
	readonly #prefix: string;

	constructor(client: S3Client, prefix: string) {
		this.#client = client;
		this.#prefix = prefix;
	}

	async put(id: string, bytes: Uint8Array): Promise<boolean> {
		await this.#client.write(this.#prefix + id, bytes);
		return true;
	}

	async get(id: string): Promise<S3File | undefined> {
		const file = this.#client.file(this.#prefix + id);
		return (await file.exists()) ? file : undefined;
	}

	async remove(id: string): Promise<void> {
		await this.#client.delete(this.#prefix + id);
	}

	/** Listing a bucket costs money, and its owner can let it remove old objects by itself. */
	async sweep(): Promise<void> {}
}

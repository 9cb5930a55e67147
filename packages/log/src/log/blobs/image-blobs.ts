/** Moves large images from the entries of a session to files that all sessions share, and restores them. */
import type { BlobStore } from "./blob-store.ts";
import { keepBlob, putBlob, readBlob } from "./blob-files.ts";
import { blobDirectories } from "./blob-directories.ts";
import { changeRecords, hashesIn, referenceTo, referredHash } from "./blob-reference.ts";
import type { SessionEntry } from "../tree/entry.ts";
import { limits } from "../limits.ts";
import { rememberDirectory } from "../listing/session-directories.ts";

export class ImageBlobs implements BlobStore {
	readonly #session: string;
	/** The first directory is written to, all are read. */
	readonly #directories: readonly [string, ...string[]];
	/** The references that a text replaces: they must not be lost when the entry is written again. */
	readonly #lost = new WeakMap<object, Record<string, unknown>>();
	#isRemembered = false;

	constructor(session: string) {
		this.#session = session;
		this.#directories = blobDirectories(session);
	}

	externalize(entry: SessionEntry): SessionEntry {
		return changeRecords(entry, (record) => this.#lost.get(record) ?? this.#out(record));
	}

	resolve(entry: SessionEntry, missing: (reference: string) => void = () => {}): SessionEntry {
		return changeRecords(entry, (record) => this.#back(record, missing));
	}

	adopt(line: Buffer, from: string | undefined): void {
		for (const hash of hashesIn(line)) {
			keepBlob([...this.#directories, ...(from === undefined ? [] : blobDirectories(from))], hash);
			this.#remember();
		}
	}

	/** Runs before the line is written: the garbage collector must know where to look for references to blobs. */
	#remember(): void {
		if (this.#isRemembered) return;
		rememberDirectory(this.#directories[0], this.#session);
		this.#isRemembered = true;
	}

	#out(record: Record<string, unknown>): Record<string, unknown> | undefined {
		if (isImage(record)) {
			const reference = this.#put(base64Bytes(record.data));
			return reference === undefined ? undefined : { ...record, data: reference };
		}
		const { image_url: url } = record;
		if (typeof url !== "string" || url.length < limits.blobChars || !isDataUrl(url)) return undefined;
		const reference = this.#put(Buffer.from(url));
		return reference === undefined ? undefined : { ...record, image_url: reference };
	}

	#put(bytes: Buffer | undefined): string | undefined {
		const hash = bytes && putBlob(this.#directories[0], bytes);
		if (hash === undefined) return undefined;
		this.#remember();
		return referenceTo(hash);
	}

	#back(
		record: Record<string, unknown>,
		missing: (reference: string) => void,
	): Record<string, unknown> | undefined {
		const image = record.type === "image" ? referredHash(record.data) : undefined;
		if (image !== undefined) {
			const bytes = readBlob(this.#directories, image);
			return bytes ? { ...record, data: bytes.toString("base64") } : this.#asText(record, image, missing);
		}
		const url = referredHash(record.image_url);
		if (url === undefined) return undefined;
		const bytes = readBlob(this.#directories, url);
		if (bytes) return { ...record, image_url: bytes.toString("utf8") };
		missing(referenceTo(url));
		return undefined;
	}

	#asText(
		record: Record<string, unknown>,
		hash: string,
		missing: (reference: string) => void,
	): Record<string, unknown> {
		const reference = referenceTo(hash);
		missing(reference);
		const placeholder = { type: "text", text: `[An image was here. Its file is missing: ${reference}]` };
		this.#lost.set(placeholder, record);
		return placeholder;
	}
}

function isImage(record: Record<string, unknown>): record is { type: "image"; data: string } {
	const { type, data } = record;
	return type === "image" && typeof data === "string" && data.length >= limits.blobChars;
}

function isDataUrl(url: string): boolean {
	return url.startsWith("data:image/") && url.includes(";base64,");
}

/** Accepts only base64 that round-trips: base64 with blanks or without its padding stays in the entry. */
function base64Bytes(data: string): Buffer | undefined {
	const bytes = Buffer.from(data, "base64");
	return bytes.toString("base64") === data ? bytes : undefined;
}

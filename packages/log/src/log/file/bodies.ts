/** The bodies of the entries: read from the file on demand, and cached within a limit. */
import { isRecord } from "@tau/utils";

import { referenceMark } from "../blobs/blob-reference.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { EntryHead, SessionEntry } from "../tree/entry.ts";
import { limits } from "../limits.ts";
import type { EntryNode } from "../tree/node.ts";

export interface BodySource {
	read(offset: number, length: number): Buffer;
	/** Called if the line does not match its head. The node has its placeholder when this returns. */
	damaged(node: EntryNode): void;
	/** The entry in a line of the file, counted as version 1 counts them. */
	idAt(line: number): string | undefined;
	blobs: BlobStore | undefined;
	/** Called if the entry refers to a payload that no longer exists. */
	missing(node: EntryNode, reference: string): void;
}

export class Bodies {
	readonly #source: BodySource;
	/** In the order of use, the oldest first. */
	readonly #cache = new Map<EntryNode, SessionEntry>();
	#cachedBytes = 0;

	constructor(source: BodySource) {
		this.#source = source;
	}

	get(node: EntryNode): SessionEntry {
		if (node.kept) return node.kept;
		const cached = this.#cache.get(node);
		if (cached) {
			this.#cache.delete(node);
			this.#cache.set(node, cached);
			return cached;
		}
		const line = node.length > limits.lineBytes ? undefined : this.#source.read(node.offset, node.length);
		const value = line && parse(line);
		if (value === undefined) {
			this.#source.damaged(node);
			return this.get(node);
		}
		const entry = this.#normalize(value, node);
		const whole = line?.includes(referenceMark) ? this.#resolve(entry, node) : entry;
		// Payloads are larger than their lines, so they are not cached: another call reads them again.
		if (whole === entry) this.keep(node, entry);
		return whole;
	}

	/** Returns the entry if it is in memory. */
	known(node: EntryNode): SessionEntry | undefined {
		return node.kept ?? this.#cache.get(node);
	}

	/** Caches an entry that was just written and is likely to be read soon. */
	keep(node: EntryNode, entry: SessionEntry): void {
		if (node.length > limits.cachedBytes || node.kept) return;
		this.#cache.set(node, entry);
		this.#cachedBytes += node.length;
		for (const oldest of this.#cache.keys()) {
			if (this.#cachedBytes <= limits.cachedBytes) break;
			this.#cache.delete(oldest);
			this.#cachedBytes -= oldest.length;
		}
	}

	#resolve(entry: SessionEntry, node: EntryNode): SessionEntry {
		const missing = (reference: string): void => this.#source.missing(node, reference);
		return this.#source.blobs?.resolve(entry, missing) ?? entry;
	}

	/** Converts the forms of older versions and omp to pi's version 3; other fields are preserved. */
	#normalize(value: Record<string, unknown>, { type, id, parentId, timestamp }: EntryNode): SessionEntry {
		const head: EntryHead = { type, id, parentId, timestamp };
		const entry: Record<string, unknown> = { ...head, ...value, ...head };
		if (type === "message" && isRecord(entry.message) && entry.message.role === "hookMessage") {
			entry.message = { ...entry.message, role: "custom" };
		}
		if (type === "model_change" && typeof entry.model === "string" && entry.modelId === undefined) {
			const slash = entry.model.indexOf("/");
			entry.provider = entry.model.slice(0, Math.max(0, slash));
			entry.modelId = entry.model.slice(slash + 1);
		}
		if (type === "compaction" && typeof entry.firstKeptEntryIndex === "number") {
			entry.firstKeptEntryId = this.#source.idAt(entry.firstKeptEntryIndex);
			delete entry.firstKeptEntryIndex;
		}
		// The file is the authority on what its entries hold; readers narrow by type and check what they rely on.
		return entry as unknown as SessionEntry;
	}
}

function parse(line: Buffer): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(line.toString("utf8"));
		return isRecord(value) ? value : undefined;
	} catch {
		// The line is not valid JSON; the caller treats undefined as damage.
		return undefined;
	}
}

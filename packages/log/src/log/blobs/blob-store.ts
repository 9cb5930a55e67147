/** The interface to the store of large payloads: they are removed before writing and restored after reading. */
import type { SessionEntry } from "../tree/entry.ts";

export interface BlobStore {
	/** Returns the entry to write, the same one if nothing was removed; payloads are on disk by then. */
	externalize(entry: SessionEntry): SessionEntry;
	/** Restores the entry. A text replaces a payload that is gone, and `missing` is called with its reference. */
	resolve(entry: SessionEntry, missing?: (reference: string) => void): SessionEntry;
	/** A line of another session (its file) is copied unchanged: its payloads must stay readable from this session. */
	adopt?(line: Buffer, from: string | undefined): void;
}

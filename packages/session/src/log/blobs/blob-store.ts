/** The seam to the store of large payloads: what it takes out of an entry before writing, it puts back after reading. */
import type { SessionEntry } from "../tree/entry.ts";

export interface BlobStore {
	/** The entry as it is to be written, the same one when nothing was taken out; payloads are on disk by then. */
	externalize(entry: SessionEntry): SessionEntry;
	/** Restores the entry. A text replaces a payload that is gone, and `missing` is called with its reference. */
	resolve(entry: SessionEntry, missing?: (reference: string) => void): SessionEntry;
	/** The line of another session (its file) is copied as it is: what it names has to stay where this session finds it. */
	adopt?(line: Buffer, from: string | undefined): void;
}

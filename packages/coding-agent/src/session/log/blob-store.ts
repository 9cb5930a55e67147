/** The seam to the store of large payloads: what it takes out of an entry before writing, it puts back after reading. */
import type { SessionEntry } from "./entry.ts";

export interface BlobStore {
	/** The entry as it is to be written; payloads that it refers to are on disk when this returns. */
	externalize(entry: SessionEntry): SessionEntry;
	/** The entry as it was; a payload that is gone leaves its reference behind. */
	resolve(entry: SessionEntry): SessionEntry;
}

/** The seam to the store of large payloads: what it takes out of an entry before writing, it puts back after reading. */
import type { SessionEntry } from "../tree/entry.ts";

export interface BlobStore {
	/** The entry as it is to be written, the same one when nothing was taken out; payloads are on disk by then. */
	externalize(entry: SessionEntry): SessionEntry;
	/** The entry as it was. A payload that is gone leaves words in its place, and `missing` is told its reference. */
	resolve(entry: SessionEntry, missing?: (reference: string) => void): SessionEntry;
	/** The line of another session (its file) is copied as it is: what it names has to stay where this session finds it. */
	adopt?(line: Buffer, from: string | undefined): void;
}

/** An entry in the index: its head, and the location of its body. */
import type { EntryHead, SessionEntry } from "./entry.ts";

export interface EntryNode extends EntryHead {
	/** The offset of the line in the file; -1 until it is written. */
	offset: number;
	length: number;
	/** The entry itself, until it is in a file. */
	kept?: SessionEntry;
}

/** The placeholder of a damaged entry: it holds the position in the tree, so that no other entry loses its own. */
export function tombstone({ id, parentId, timestamp }: Omit<EntryHead, "type">): SessionEntry {
	return { type: "custom", id, parentId, timestamp, customType: "tau.damaged" };
}

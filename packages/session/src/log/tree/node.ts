/** An entry as the index knows it: its head, and where its body lies. */
import type { EntryHead, SessionEntry } from "./entry.ts";

export interface EntryNode extends EntryHead {
	/** Where the line lies in the file; -1 while it is not there. */
	offset: number;
	length: number;
	/** The entry itself, while no file has it. */
	kept?: SessionEntry;
}

/** The placeholder of a damaged entry: it holds the position in the tree, so that no other entry loses its own. */
export function tombstone({ id, parentId, timestamp }: Omit<EntryHead, "type">): SessionEntry {
	return { type: "custom", id, parentId, timestamp, customType: "tau.damaged" };
}

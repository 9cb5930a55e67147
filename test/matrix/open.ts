/** The cells that fail today, each with its cause; none. A cell that passes has to leave this list. */
import type { ClientName } from "./client.ts";

export interface OpenCell {
	readonly row: string;
	readonly client: ClientName;
	/** What breaks the promise, with the file and line of the cause. */
	readonly why: string;
}

export const openCells: readonly OpenCell[] = [];

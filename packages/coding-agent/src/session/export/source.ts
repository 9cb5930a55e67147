/** What an export is made from. */
import type { SessionEntry, SessionHeader, SessionTreeNode } from "../log/index.ts";

export interface ExportSource {
	header: SessionHeader;
	name: string | undefined;
	/** From the root to the leaf. */
	branch: readonly SessionEntry[];
	tree: readonly SessionTreeNode[];
}

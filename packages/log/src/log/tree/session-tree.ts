/** The whole tree of a session with its entries, for clients that let a user navigate it. */
import type { SessionEntry } from "./entry.ts";
import type { Labels } from "./labels.ts";
import type { SessionLog } from "../session-log.ts";

export interface SessionTreeNode {
	entry: SessionEntry;
	/** The older first. */
	children: SessionTreeNode[];
	label?: string;
	labelTimestamp?: string;
}

/** There is one root, unless the user went back to before the first entry. */
export function sessionTree(log: SessionLog, labels: Labels): SessionTreeNode[] {
	const byId = new Map<string | null, SessionTreeNode>();
	for (const node of log.tree.nodes) {
		const entryLabel = labels.get(node.id);
		const label = entryLabel ? { label: entryLabel.label, labelTimestamp: entryLabel.timestamp } : {};
		byId.set(node.id, { entry: log.entry(node), children: [], ...label });
	}
	const roots: SessionTreeNode[] = [];
	for (const node of byId.values()) (byId.get(node.entry.parentId)?.children ?? roots).push(node);
	for (const { children } of byId.values()) children.sort(byTime);
	return roots.toSorted(byTime);
}

/** The sort is stable: entries with the same time stay in the order of the file. */
function byTime({ entry: a }: SessionTreeNode, { entry: b }: SessionTreeNode): number {
	return a.timestamp < b.timestamp ? -1 : Number(a.timestamp > b.timestamp);
}

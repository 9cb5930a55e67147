/** Lays a tree out as lines: which nodes are seen, how deep each stands, and where its branch goes on. */
import { fuzzyMatch } from "../text.ts";
import type { ThemeColor } from "../theme/index.ts";

export interface TreeNode {
	id: string;
	label: string;
	/** Stands behind the label, less loud. */
	note?: string;
	/** The colour of the label. */
	color?: ThemeColor;
	children?: readonly TreeNode[];
}

export interface TreeLine {
	node: TreeNode;
	/** How many guides stand before it. */
	level: number;
	/** The line whose branch this one is on; -1 for roots. */
	above: number;
	/** Draws the corner of its branch; the others in a chain only go on along it. */
	isHead: boolean;
	/** Nothing of this branch's parent follows. */
	isLast: boolean;
	/** What was looked for is in it, not only below it. */
	isMatch: boolean;
}

export interface TreeView {
	isFolded: (node: TreeNode) => boolean;
	/** Where it is not empty, only what matches and the way to it are seen, folded or not. */
	filter: string;
	/** An only child stands below its parent instead of beside it: a long conversation is no staircase. */
	flatChains: boolean;
}

export function layTree(roots: readonly TreeNode[], view: TreeView): TreeLine[] {
	const found = view.filter === "" ? undefined : search(roots, view.filter);
	const lines: TreeLine[] = [];
	const seen = new Set<TreeNode>();
	const waiting: Waiting[] = [];
	const queue = (nodes: readonly TreeNode[], parent: number): void => {
		const shown = found === undefined ? nodes : nodes.filter((node) => found.way.has(node));
		for (let at = shown.length - 1; at >= 0; at--) {
			const node = shown[at];
			const isChained = view.flatChains && parent >= 0 && shown.length === 1;
			if (node) waiting.push({ node, parent, isLast: at === shown.length - 1, isChained });
		}
	};
	queue(roots, -1);
	for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
		const { node } = next;
		// Data that has a circle in it ends here, too.
		if (seen.has(node)) continue;
		seen.add(node);
		lines.push(lineOf(next, lines, found === undefined || found.matches.has(node)));
		const isOpen = found !== undefined || !view.isFolded(node);
		if (isOpen && node.children) queue(node.children, lines.length - 1);
	}
	return lines;
}

interface Waiting {
	node: TreeNode;
	parent: number;
	isLast: boolean;
	isChained: boolean;
}

function lineOf({ node, parent, isLast, isChained }: Waiting, lines: TreeLine[], isMatch: boolean): TreeLine {
	const before = lines[parent];
	if (before === undefined) return { node, level: 0, above: -1, isHead: true, isLast, isMatch };
	if (!isChained) return { node, level: before.level + 1, above: parent, isHead: true, isLast, isMatch };
	const { level, above, isLast: isLastBranch } = before;
	return { node, level, above, isHead: false, isLast: isLastBranch, isMatch };
}

interface Found {
	matches: Set<TreeNode>;
	/** The matches and all that they are in. */
	way: Set<TreeNode>;
}

function search(roots: readonly TreeNode[], filter: string): Found {
	const all: { node: TreeNode; parent: TreeNode | undefined }[] = [];
	const seen = new Set<TreeNode>();
	const waiting = roots.map((node): (typeof all)[number] => ({ node, parent: undefined })).toReversed();
	for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
		if (seen.has(next.node)) continue;
		seen.add(next.node);
		all.push(next);
		for (const child of next.node.children ?? []) waiting.push({ node: child, parent: next.node });
	}
	const matches = new Set<TreeNode>();
	const way = new Set<TreeNode>();
	// Children come after their parents, so backwards a parent hears of its children before it is looked at.
	for (const { node, parent } of all.toReversed()) {
		if (fuzzyMatch(filter, `${node.label} ${node.note ?? ""}`).matches) matches.add(node);
		if (!matches.has(node) && !way.has(node)) continue;
		way.add(node);
		if (parent) way.add(parent);
	}
	return { matches, way };
}

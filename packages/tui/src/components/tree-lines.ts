/** Lays a tree out as lines: the visible nodes, their depth, and where their branches continue. */
import { fuzzyMatch } from "../text.ts";
import type { ThemeColor } from "../theme/index.ts";

export interface TreeNode {
	id: string;
	label: string;
	/** Shown after the label, in a muted color. */
	note?: string;
	/** The color of the label. */
	color?: ThemeColor;
	children?: readonly TreeNode[];
}

export interface TreeLine {
	node: TreeNode;
	/** The number of guides before it. */
	level: number;
	/** The line whose branch contains this one; -1 for roots. */
	above: number;
	/** True if the line draws the corner of its branch; other lines of a chain only continue it. */
	isHead: boolean;
	/** True if no sibling of this branch follows. */
	isLast: boolean;
	/** True if the line itself matches the search, not only a descendant. */
	isMatch: boolean;
}

export interface TreeView {
	isFolded: (node: TreeNode) => boolean;
	/** If it is not empty, only matches and their ancestors are visible, folded or not. */
	filter: string;
	/** An only child is below its parent without indentation: a long conversation is not a staircase. */
	flatChains: boolean;
}

export function layTree(roots: readonly TreeNode[], view: TreeView): TreeLine[] {
	const matches = view.filter === "" ? undefined : search(roots, view.filter);
	const lines: TreeLine[] = [];
	const seen = new Set<TreeNode>();
	const waiting: Waiting[] = [];
	const queue = (nodes: readonly TreeNode[], parent: number): void => {
		const visible = matches === undefined ? nodes : nodes.filter((node) => matches.way.has(node));
		for (let at = visible.length - 1; at >= 0; at--) {
			const node = visible[at];
			const isChained = view.flatChains && parent >= 0 && visible.length === 1;
			if (node) waiting.push({ node, parent, isLast: at === visible.length - 1, isChained });
		}
	};
	queue(roots, -1);
	for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
		const { node } = next;
		// Cyclic data ends here, too.
		if (seen.has(node)) continue;
		seen.add(node);
		lines.push(lineOf(next, lines, matches === undefined || matches.matches.has(node)));
		const isOpen = matches !== undefined || !view.isFolded(node);
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

interface LineMatch {
	matches: Set<TreeNode>;
	/** The matches and all of their ancestors. */
	way: Set<TreeNode>;
}

function search(roots: readonly TreeNode[], filter: string): LineMatch {
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
	// Children come after their parents, so in reverse order all children are processed before their parent.
	for (const { node, parent } of all.toReversed()) {
		if (fuzzyMatch(filter, `${node.label} ${node.note ?? ""}`).matches) matches.add(node);
		if (!matches.has(node) && !way.has(node)) continue;
		way.add(node);
		if (parent) way.add(parent);
	}
	return { matches, way };
}

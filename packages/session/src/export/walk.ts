/** Walks the tree of a session in reading order: the current branch is straight, the others are indented. */
import type { SessionTreeNode } from "@tau/log";

export type Step =
	| { kind: "entry"; node: SessionTreeNode; depth: number }
	/** An abandoned branch starts or ends here. */
	| { kind: "open" | "close" };

type Waiting = Step | { kind: "rest"; siblings: readonly SessionTreeNode[]; depth: number };

/** `branch` has the ids of the current branch. Uses its own stack, not recursion: a session may be very deep. */
export function* walkTree(roots: readonly SessionTreeNode[], branch: ReadonlySet<string>): Generator<Step> {
	const waiting: Waiting[] = [{ kind: "rest", siblings: roots, depth: 0 }];
	for (let next = waiting.pop(); next; next = waiting.pop()) {
		if (next.kind === "rest") {
			waiting.push(...inOrder(next.siblings, next.depth, branch).toReversed());
			continue;
		}
		yield next;
		if (next.kind !== "entry") continue;
		waiting.push({ kind: "rest", siblings: next.node.children, depth: next.depth });
	}
}

function inOrder(
	siblings: readonly SessionTreeNode[],
	depth: number,
	branch: ReadonlySet<string>,
): Waiting[] {
	const main = siblings.find(({ entry }) => branch.has(entry.id)) ?? siblings.at(-1);
	if (!main) return [];
	const left = siblings
		.filter((node) => node !== main)
		.flatMap((node): Waiting[] => [
			{ kind: "open" },
			{ kind: "entry", node, depth: depth + 1 },
			{ kind: "close" },
		]);
	return [...left, { kind: "entry", node: main, depth }];
}

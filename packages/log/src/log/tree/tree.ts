/** The tree of a session in memory: heads only, in the order of the file. */
import type { EntryNode } from "./node.ts";

const beside: ReadonlySet<string> = new Set(["usage", "session_info", "title_change"]);

export class EntryTree {
	readonly #nodes: EntryNode[] = [];
	readonly #byId = new Map<string, EntryNode>();
	#children: Map<string | null, EntryNode[]> | undefined;

	get nodes(): readonly EntryNode[] {
		return this.#nodes;
	}

	get last(): EntryNode | undefined {
		return this.#nodes.at(-1);
	}

	/** Where the conversation continues: a name or a cost that was noted last stays beside it. */
	get leaf(): EntryNode | undefined {
		let node = this.last;
		while (node && beside.has(node.type) && node.parentId !== null) node = this.#byId.get(node.parentId);
		return node;
	}

	has(id: string): boolean {
		return this.#byId.has(id);
	}

	get(id: string): EntryNode | undefined {
		return this.#byId.get(id);
	}

	add(node: EntryNode): void {
		this.#nodes.push(node);
		this.#byId.set(node.id, node);
		this.#children?.getOrInsertComputed(node.parentId, () => []).push(node);
	}

	children(id: string | null): readonly EntryNode[] {
		this.#children ??= Map.groupBy(this.#nodes, ({ parentId }) => parentId);
		return this.#children.get(id) ?? [];
	}

	/** From the root to the entry. */
	path(id: string | null): EntryNode[] {
		const path: EntryNode[] = [];
		for (let at = id; at !== null;) {
			const node = this.#byId.get(at);
			if (!node) break;
			path.push(node);
			at = node.parentId;
		}
		return path.toReversed();
	}
}

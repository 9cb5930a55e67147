/** The labels of a session; the last label entry for each target is used. */
import type { EntryNode } from "./node.ts";
import type { SessionLog } from "../session-log.ts";

export interface Label {
	label: string;
	timestamp: string;
	/** The entry that set the label. */
	givenBy: string;
}

export class Labels {
	readonly #log: SessionLog;
	readonly #byTarget = new Map<string, Label>();
	/** The number of entries processed so far. */
	#seen = 0;

	constructor(log: SessionLog) {
		this.#log = log;
	}

	get(targetId: string): Label | undefined {
		this.#catchUp();
		return this.#byTarget.get(targetId);
	}

	/** The labels of entries on a path that were set by entries outside it. */
	outside(path: readonly EntryNode[]): { targetId: string; label: string }[] {
		this.#catchUp();
		const onPath = new Set(path.map(({ id }) => id));
		return [...this.#byTarget]
			.filter(([targetId, { givenBy }]) => onPath.has(targetId) && !onPath.has(givenBy))
			.map(([targetId, { label }]) => ({ targetId, label }));
	}

	#catchUp(): void {
		const { nodes } = this.#log.tree;
		for (; this.#seen < nodes.length; this.#seen++) {
			const node = nodes[this.#seen];
			const entry = node?.type === "label" ? this.#log.entry(node) : undefined;
			if (entry?.type !== "label") continue;
			const { targetId, label, timestamp, id } = entry;
			if (label) this.#byTarget.set(targetId, { label, timestamp, givenBy: id });
			else this.#byTarget.delete(targetId);
		}
	}
}

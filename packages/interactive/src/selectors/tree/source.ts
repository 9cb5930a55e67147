/** Reads the entries of a session for the tree, a few at a time: a long one must not hold up the keys. */
import { setImmediate } from "node:timers/promises";
import type { SessionManager } from "@tau/log";

import { limits } from "../limits.ts";
import { treeEntry, type Calls, type TreeEntry } from "@tau/session-commands/work";

export interface EntryLabel {
	label: string;
	timestamp: string;
}

export class TreeSource implements Disposable {
	readonly #log: Pick<SessionManager, "getHeads" | "getEntry">;
	readonly #calls: Calls = new Map();
	readonly #labels = new Map<string, EntryLabel>();
	readonly #entries: TreeEntry[] = [];
	#isClosed = false;

	constructor(log: Pick<SessionManager, "getHeads" | "getEntry">) {
		this.#log = log;
	}

	/** In the order of the file. */
	get entries(): readonly TreeEntry[] {
		return this.#entries;
	}

	get labels(): ReadonlyMap<string, EntryLabel> {
		return this.#labels;
	}

	get isComplete(): boolean {
		return this.#entries.length >= this.#log.getHeads().length;
	}

	/** Reads new entries; a short session is read before this awaits anything. `onMore` is called when there is more. */
	async read(onMore: () => void): Promise<void> {
		let announced = 0;
		while (!this.#isClosed && this.#readSome()) {
			// Each time as much again: to lay all out after every part would cost the square of it.
			if (this.#entries.length >= announced * 2) {
				announced = this.#entries.length;
				onMore();
			}
			await setImmediate();
		}
		onMore();
	}

	[Symbol.dispose](): void {
		this.#isClosed = true;
	}

	/** Whether there is more. */
	#readSome(): boolean {
		const heads = this.#log.getHeads();
		const from = this.#entries.length;
		for (const { id } of heads.slice(from, from + limits.entriesPerTurn)) {
			const entry = this.#log.getEntry(id);
			// Heads come from the same file: an entry that is not there cannot be.
			if (!entry) return false;
			if (entry.type === "label") {
				if (entry.label) this.#labels.set(entry.targetId, { label: entry.label, timestamp: entry.timestamp });
				else this.#labels.delete(entry.targetId);
			}
			this.#entries.push(treeEntry(entry, this.#calls));
		}
		return !this.isComplete;
	}
}

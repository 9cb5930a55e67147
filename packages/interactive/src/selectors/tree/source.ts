/** Reads the entries of a session for the tree, a few at a time: a long one must not hold up the keys. */
import { setImmediate } from "node:timers/promises";
import type { Entry } from "@tau/wire";

import { limits } from "../limits.ts";
import { labelIn, treeEntry, type Calls, type EntryLabel, type TreeEntry } from "@tau/session-commands/work";

/** The entries behind one, in the order of the file, on all branches. Fewer than asked for: there are no more. */
export type EntriesAfter = (
	id: string | undefined,
	limit: number,
) => readonly Entry[] | Promise<readonly Entry[]>;

export class TreeSource implements Disposable {
	readonly #entriesAfter: EntriesAfter;
	readonly #calls: Calls = new Map();
	readonly #labels = new Map<string, EntryLabel>();
	readonly #entries: TreeEntry[] = [];
	#isClosed = false;
	#isComplete = false;

	constructor(entriesAfter: EntriesAfter) {
		this.#entriesAfter = entriesAfter;
	}

	/** In the order of the file. */
	get entries(): readonly TreeEntry[] {
		return this.#entries;
	}

	get labels(): ReadonlyMap<string, EntryLabel> {
		return this.#labels;
	}

	get isComplete(): boolean {
		return this.#isComplete;
	}

	/** Reads new entries; a short session of this process is read before this awaits anything. `onMore` is called when there is more. */
	async read(onMore: () => void): Promise<void> {
		let announced = 0;
		this.#isComplete = false;
		while (!this.#isClosed) {
			const page = this.#entriesAfter(this.#entries.at(-1)?.id, limits.entriesPerTurn);
			this.#take(page instanceof Promise ? await page : page);
			if (this.#isComplete) break;
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

	#take(page: readonly Entry[]): void {
		for (const entry of page) {
			const labeled = labelIn(entry);
			if (labeled?.label) this.#labels.set(labeled.targetId, labeled.label);
			else if (labeled) this.#labels.delete(labeled.targetId);
			this.#entries.push(treeEntry(entry, this.#calls));
		}
		this.#isComplete = page.length < limits.entriesPerTurn;
	}
}

/** The end of the branch of a session of this process: an entry is read when it is asked for. */
import type { SessionManager } from "@tau/log";
import { frameLimits, type Entry, type EntryTail } from "@tau/wire";

interface LogOwner {
	readonly log: Pick<SessionManager, "getBranchHeads" | "getEntry" | "getLeafId">;
}

export class LocalTail implements EntryTail {
	readonly #from: LogOwner;
	#read: EntryTail | undefined;

	/** The log is read each time: a session that moves has another one. */
	constructor(from: LogOwner) {
		this.#from = from;
	}

	get leafId(): string | null {
		return this.#from.log.getLeafId();
	}

	get entries(): readonly Entry[] {
		return this.#current.entries;
	}

	get earlier(): number {
		return this.#current.earlier;
	}

	/** The session is another one. */
	reset(): void {
		this.#read = undefined;
	}

	get #current(): EntryTail {
		const { leafId } = this;
		if (this.#read && this.#read.leafId === leafId) return this.#read;
		const path = this.#from.log.getBranchHeads();
		const heads = path.slice(-frameLimits.tailEntries);
		const entries = lazyEntries(heads, (id) => this.#from.log.getEntry(id));
		return (this.#read = { leafId, entries, earlier: path.length - heads.length });
	}
}

/** Each entry is parsed when it is read, and not before: the end of a long session may be large. */
function lazyEntries(
	heads: readonly { readonly id: string }[],
	read: (id: string) => object | undefined,
): readonly Entry[] {
	const entries: Entry[] = [];
	for (const [index, { id }] of heads.entries())
		Object.defineProperty(entries, index, { get: () => read(id), enumerable: true, configurable: true });
	return entries;
}

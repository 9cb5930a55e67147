/** A lease while a worker holds it: renewed by heartbeats, and lost for good once it was lost. */
import { log } from "@tau/utils";

import { LeaseLost } from "../git/fence.ts";
import type { Lease, TaskStore } from "../store/store.ts";

export class HeldLease implements Disposable {
	readonly #store: TaskStore;
	readonly #lost = new AbortController();
	readonly #beat: Timer;
	#lease: Lease;

	constructor(store: TaskStore, lease: Lease) {
		this.#store = store;
		this.#lease = lease;
		this.#beat = setInterval(() => void this.check(), store.leaseMs / 3);
	}

	get current(): Lease {
		return this.#lease;
	}

	/** Aborts with `LeaseLost`. */
	get lost(): AbortSignal {
		return this.#lost.signal;
	}

	/** Renews it. By the clock of this process it ends in time also where the store does not answer. */
	async check(): Promise<boolean> {
		if (this.lost.aborted) return false;
		try {
			const renewed = await this.#store.renew(this.#lease);
			if (renewed) this.#lease = renewed;
			else this.lose();
		} catch (error) {
			log.warn("a lease could not be renewed", { task: this.#lease.task.id, reason: String(error) });
			if (performance.now() - this.#lease.since > this.#store.leaseMs) this.lose();
		}
		return !this.lost.aborted;
	}

	lose(): void {
		this.#lost.abort(new LeaseLost());
	}

	/** Writes as the holder. Throws `LeaseLost` if that is somebody else, and the store's error if it cannot be used. */
	async write(work: (lease: Lease) => Promise<boolean>): Promise<void> {
		this.lost.throwIfAborted();
		if (await work(this.#lease)) return;
		this.lose();
		this.lost.throwIfAborted();
	}

	[Symbol.dispose](): void {
		clearInterval(this.#beat);
	}
}

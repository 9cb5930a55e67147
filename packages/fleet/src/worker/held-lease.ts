/** A lease while a worker holds it: renewed by heartbeats, and lost for good once it was lost. */
import { abortable, delay, log } from "@tau/utils";

import { LeaseLost } from "../git/fence.ts";
import { limits } from "../limits.ts";
import type { Lease, TaskStore } from "../store/store.ts";

export class HeldLease implements Disposable {
	readonly #store: TaskStore;
	readonly #lost = new AbortController();
	readonly #beat: Timer;
	#lease: Lease;

	constructor(store: TaskStore, lease: Lease) {
		this.#store = store;
		this.#lease = lease;
		this.#beat = setInterval(() => this.#onBeat(), store.leaseMs / 3);
	}

	get current(): Lease {
		return this.#lease;
	}

	/** Aborts with `LeaseLost`. */
	get lost(): AbortSignal {
		return this.#lost.signal;
	}

	/** Renews it; false if it was lost. */
	async check(): Promise<boolean> {
		try {
			const renewed = await this.use(() => this.#store.renew(this.#lease));
			if (renewed) this.#lease = renewed;
			else this.lose();
		} catch (error) {
			// One that has ended meanwhile is not news.
			if (!this.lost.aborted)
				log.warn("a lease could not be renewed", { task: this.#lease.task.id, reason: String(error) });
			this.lose();
		}
		return !this.lost.aborted;
	}

	lose(): void {
		this.#lost.abort(new LeaseLost());
	}

	/** Writes as the holder, once the store can be used. Throws `LeaseLost` if another worker holds it by then. */
	async write(work: (lease: Lease) => Promise<boolean>): Promise<void> {
		if (await this.use(() => work(this.#lease))) return;
		this.lose();
		this.lost.throwIfAborted();
	}

	/**
	 * What the store says. While it cannot be used, it is asked again: that it was away is no failure of the task. Throws
	 * `LeaseLost`, or the store's error when that took as long as a lease. A write may come twice, because the response
	 * to the first was lost.
	 */
	async use<T>(work: () => Promise<T>): Promise<T> {
		const deadline = performance.now() + this.#store.leaseMs;
		for (;;) {
			this.lost.throwIfAborted();
			try {
				return await abortable(work(), this.lost);
			} catch (error) {
				this.lost.throwIfAborted();
				if (performance.now() > deadline) throw error;
				log.warn("the store of tasks does not answer", { reason: String(error) });
				await delay(limits.againMs);
			}
		}
	}

	[Symbol.dispose](): void {
		clearInterval(this.#beat);
		this.lose();
	}

	/** By the clock of this process it ends in time also where the store neither answers nor refuses. */
	#onBeat(): void {
		if (performance.now() - this.#lease.since > this.#store.leaseMs) this.lose();
		else void this.check();
	}
}

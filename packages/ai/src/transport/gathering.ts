/** Reads an answer that comes slowly in larger pieces: models write fifty times a second, and a screen shows ten. */
import { listen, onDispose } from "@tau/utils/portable";

import { limits } from "../limits.ts";

/** Tests have their own. */
export interface GatheringClock {
	/** In milliseconds. */
	now(): number;
	after(ms: number, run: () => void): Disposable;
}

const realClock: GatheringClock = {
	now: () => performance.now(),
	// It keeps the process alive, which a body that nobody reads does not.
	after(ms, run) {
		const handle = setTimeout(run, ms);
		return onDispose(() => clearTimeout(handle));
	},
};

export class Gathering {
	readonly #signal: AbortSignal;
	readonly #clock: GatheringClock;
	#began: number | undefined;
	/** Since when the next chunk could be read. */
	#free = Number.NEGATIVE_INFINITY;

	constructor(signal: AbortSignal, clock = realClock) {
		this.#signal = signal;
		this.#clock = clock;
	}

	/**
	 * Called when a chunk was handled. Resolves when the next one is to be read, with all that has come meanwhile, or the
	 * request is aborted; undefined if it is to be read at once: at the beginning, which the user waits for, in a burst,
	 * and where pieces are rare.
	 */
	after(chunk: Uint8Array): Promise<void> | undefined {
		const now = this.#clock.now();
		const waited = now - this.#free;
		this.#free = now;
		this.#began ??= now;
		const isYoung = now - this.#began < limits.gatherAfterMs;
		const isRare = waited > limits.gatherMs / 2;
		if (isYoung || isRare || chunk.length > limits.gatheredBytes || this.#signal.aborted) return undefined;
		return this.#rest();
	}

	async #rest(): Promise<void> {
		const { promise, resolve } = Promise.withResolvers<void>();
		using _time = this.#clock.after(limits.gatherMs, resolve);
		using _abort = listen(this.#signal, "abort", () => resolve());
		await promise;
		this.#free = this.#clock.now();
	}
}

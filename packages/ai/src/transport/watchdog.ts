/** Aborts a request that makes no progress: before its first content, or between two pieces of it. */

export interface Silence {
	/** For the first content, and while the model may be thinking without showing it. */
	firstEventMs: number;
	/** Between two pieces of the answer. */
	idleMs: number;
}

export class Watchdog implements Disposable {
	readonly #controller = new AbortController();
	/** The limit that applies now. */
	#limitMs: number;
	#deadline: number;
	#timer: Timer;
	/** When the timer is due. */
	#due: number;
	/** How long the server was silent, once the limit was exceeded. */
	silentMs: number | undefined;

	constructor({ firstEventMs }: Silence) {
		this.#limitMs = firstEventMs;
		this.#due = this.#deadline = performance.now() + firstEventMs;
		this.#timer = setTimeout(() => this.#check(), firstEventMs);
	}

	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	/** Aborts with the caller's signal, too. One signal for both: `AbortSignal.any` leaves far more for the collector. */
	follow(signal: AbortSignal): void {
		if (signal.aborted) this.#controller.abort(signal.reason);
		else signal.addEventListener("abort", () => this.#controller.abort(signal.reason), { once: true });
	}

	/**
	 * Records progress, after which the server may be silent for `limitMs`. It updates a number, and a timer only when
	 * that is due too late: a stream calls this for every chunk.
	 */
	alive(limitMs: number): void {
		this.#limitMs = limitMs;
		this.#deadline = performance.now() + limitMs;
		if (this.#deadline < this.#due) this.#rearm(limitMs);
	}

	[Symbol.dispose](): void {
		clearTimeout(this.#timer);
	}

	#check(): void {
		const left = this.#deadline - performance.now();
		if (left > 0) {
			this.#rearm(left);
			return;
		}
		this.silentMs = this.#limitMs;
		this.#controller.abort(new DOMException("The server went silent", "TimeoutError"));
	}

	#rearm(ms: number): void {
		clearTimeout(this.#timer);
		this.#due = performance.now() + ms;
		this.#timer = setTimeout(() => this.#check(), ms);
	}
}

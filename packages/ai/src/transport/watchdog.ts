/** Aborts a request that has gone silent: before its first event, or between two. */

export interface Silence {
	firstEventMs: number;
	idleMs: number;
}

export class Watchdog implements Disposable {
	readonly #controller = new AbortController();
	readonly #idleMs: number;
	#deadline: number;
	#timer: Timer;
	#waitsForFirst = true;
	/** How long the server was silent, once the limit was exceeded. */
	silentMs: number | undefined;

	constructor({ firstEventMs, idleMs }: Silence) {
		this.#idleMs = idleMs;
		this.#deadline = performance.now() + firstEventMs;
		this.#timer = setTimeout(() => this.#check(firstEventMs), firstEventMs);
	}

	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	/** Records activity. It updates a number, not a timer: a stream calls this for every chunk. */
	alive(): void {
		this.#deadline = performance.now() + this.#idleMs;
		if (!this.#waitsForFirst) return;
		this.#waitsForFirst = false;
		this.#rearm(this.#idleMs);
	}

	/** The content is complete; only the end of the body may still come, and not for long. */
	linger(ms: number): void {
		this.#deadline = performance.now() + ms;
		this.#rearm(ms);
	}

	[Symbol.dispose](): void {
		clearTimeout(this.#timer);
	}

	#check(waited: number): void {
		const left = this.#deadline - performance.now();
		if (left > 0) {
			this.#rearm(left);
			return;
		}
		this.silentMs = waited;
		this.#controller.abort(new DOMException("The server went silent", "TimeoutError"));
	}

	#rearm(ms: number): void {
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#check(this.#idleMs), ms);
	}
}

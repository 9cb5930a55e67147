/** A stream of events from one producer to one reader that merges unread events and ends in a result. */
import { eventStreamLimits } from "./limits.ts";

export interface EventStreamOptions<T> {
	/**
	 * Joins the last unread event with the one being pushed; the returned event replaces both. `undefined` means that
	 * the two cannot be joined.
	 */
	merge?: (previous: T, next: T) => T | undefined;
	/** From this number of unread events on, `push` returns false. */
	limit?: number;
	/** Called once when the reader leaves before the end, so that the producer can stop. */
	onCancel?: () => void;
}

/**
 * Back-pressure: `push` keeps every event it accepts and returns whether the producer may go on at once. `false`
 * means either that the unread queue has reached its limit (then `await stream.ready()`), or that nobody will read
 * the event any more (then `stream.closed` is true and the event was not kept). Nothing is dropped silently: a
 * producer that cannot wait may ignore `false`, and the queue then grows past the limit.
 * `result()` does not need a reader. A reader that leaves early does not settle it: the producer still has to call
 * `end` or `fail`, which reports how a cancelled run went.
 */
export class EventStream<T, R = void> implements AsyncIterable<T> {
	readonly #merge: ((previous: T, next: T) => T | undefined) | undefined;
	readonly #limit: number;
	readonly #onCancel: (() => void) | undefined;
	readonly #result = Promise.withResolvers<R>();

	#queue: T[] = [];
	#head = 0;
	#ended = false;
	#failure: { error: unknown } | undefined;
	#cancelled = false;
	#taken = false;
	/** Pending reads; while there are any, the queue is empty. */
	#waiting: PromiseWithResolvers<IteratorResult<T, void>>[] = [];
	#room: PromiseWithResolvers<void> | undefined;
	#rest: PromiseWithResolvers<void> | undefined;

	constructor(options: EventStreamOptions<T> = {}) {
		this.#merge = options.merge;
		this.#limit = Math.max(1, options.limit ?? eventStreamLimits.unreadEvents);
		this.#onCancel = options.onCancel;
		// Every caller of result() gets the failure; a failure without a caller must not end the process.
		this.#result.promise.catch(() => {});
	}

	/** True once no more events are accepted: after `end`, `fail`, or when the reader has left. */
	get closed(): boolean {
		return this.#ended || this.#cancelled;
	}

	/** Events that were pushed and not read yet. */
	get unread(): number {
		return this.#queue.length - this.#head;
	}

	push(event: T): boolean {
		if (this.closed) return false;
		const waiting = this.#waiting.shift();
		if (waiting) {
			waiting.resolve({ done: false, value: event });
			return true;
		}
		const last = this.#queue.length - 1;
		const merged = last >= this.#head ? this.#merge?.(this.#queue[last] as T, event) : undefined;
		if (merged === undefined) this.#queue.push(event);
		else this.#queue[last] = merged;
		return this.unread < this.#limit;
	}

	/** Resolves when the queue has room again, or at once when the stream is closed (check `closed` after it). */
	ready(): Promise<void> {
		if (this.closed || this.unread < this.#limit) return Promise.resolve();
		this.#room ??= Promise.withResolvers<void>();
		return this.#room.promise;
	}

	/** The reader has handled everything and waits for more, or the stream is closed. */
	get isIdle(): boolean {
		return this.closed || this.#waiting.length > 0;
	}

	/** Resolves when the stream is idle. Only for producers that have a reader. */
	idle(): Promise<void> {
		if (this.isIdle) return Promise.resolve();
		this.#rest ??= Promise.withResolvers<void>();
		return this.#rest.promise;
	}

	/** Events already pushed stay readable. Only the first `end` or `fail` counts. */
	end(result: R): void {
		if (this.#ended) return;
		this.#result.resolve(result);
		this.#close();
	}

	/** Ends with an error: the reader gets it after the events before it, and `result()` rejects with it. */
	fail(error: unknown): void {
		if (this.#ended) return;
		this.#failure = { error };
		this.#result.reject(error);
		this.#close();
	}

	result(): Promise<R> {
		return this.#result.promise;
	}

	[Symbol.asyncIterator](): AsyncIterator<T, void, undefined> {
		if (this.#taken) throw new Error("EventStream: already being read; it has one reader only");
		this.#taken = true;
		return {
			next: () => this.#next(),
			return: async () => {
				this.#cancel();
				return { done: true, value: undefined };
			},
		};
	}

	#next(): Promise<IteratorResult<T, void>> {
		if (this.unread > 0) return Promise.resolve({ done: false, value: this.#take() });
		if (this.closed) return this.#last();
		const waiting = Promise.withResolvers<IteratorResult<T, void>>();
		this.#waiting.push(waiting);
		this.#endRest();
		return waiting.promise;
	}

	/** A failure is reported once; after it, as after an end, the stream is done. */
	#last(): Promise<IteratorResult<T, void>> {
		const failure = this.#cancelled ? undefined : this.#failure;
		this.#failure = undefined;
		return failure ? Promise.reject(failure.error) : Promise.resolve({ done: true, value: undefined });
	}

	#take(): T {
		const event = this.#queue[this.#head] as T;
		this.#head++;
		if (this.#head === this.#queue.length) {
			this.#queue.length = 0;
			this.#head = 0;
		} else if (this.#head >= eventStreamLimits.compactAfter && this.#head * 2 >= this.#queue.length) {
			// Removing the part already read only when it is the larger half keeps the cost per event constant.
			this.#queue = this.#queue.slice(this.#head);
			this.#head = 0;
		}
		if (this.unread < this.#limit) this.#openRoom();
		return event;
	}

	#close(): void {
		this.#ended = true;
		this.#release();
	}

	#cancel(): void {
		if (this.#cancelled) return;
		this.#cancelled = true;
		this.#queue = [];
		this.#head = 0;
		this.#release();
		if (!this.#ended) this.#onCancel?.();
	}

	#release(): void {
		for (const waiting of this.#waiting.splice(0)) waiting.resolve(this.#last());
		this.#openRoom();
		this.#endRest();
	}

	#endRest(): void {
		this.#rest?.resolve();
		this.#rest = undefined;
	}

	#openRoom(): void {
		this.#room?.resolve();
		this.#room = undefined;
	}
}

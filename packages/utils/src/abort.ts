/** Waits that can be aborted, and leave no listener or timer behind. */

export interface Deadline extends Disposable {
	readonly signal: AbortSignal;
	/** Waits for `ms` from now on. No effect after the end. */
	restart(ms: number): void;
}

/** A signal that follows `signal` and also aborts after `ms` with a TimeoutError that carries `reason`. */
export function withTimeout(signal: AbortSignal | undefined, ms: number, reason: string): Deadline {
	const controller = new AbortController();
	const follow = () => stop(signal?.reason);
	const wait = (time: number) => setTimeout(() => stop(new DOMException(reason, "TimeoutError")), time);
	let handle = wait(ms);
	let isOver = false;

	const release = () => {
		isOver = true;
		clearTimeout(handle);
		signal?.removeEventListener("abort", follow);
	};
	function stop(why: unknown): void {
		release();
		controller.abort(why);
	}

	if (signal?.aborted) follow();
	else signal?.addEventListener("abort", follow);
	return {
		signal: controller.signal,
		restart(time) {
			if (isOver) return;
			clearTimeout(handle);
			handle = wait(time);
		},
		[Symbol.dispose]: release,
	};
}

/**
 * Waits for `promise`, but rejects with the signal's reason as soon as it aborts. The work behind the promise continues
 * unless it listens to the signal itself; its outcome is ignored.
 */
export async function abortable<T>(promise: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
	if (!signal) return promise;
	const aborted = Promise.withResolvers<never>();
	const onAbort = () => aborted.reject(signal.reason);
	if (signal.aborted) onAbort();
	else signal.addEventListener("abort", onAbort);
	try {
		// The signal comes first in the race, so that it wins over a promise that has already settled.
		return await Promise.race([aborted.promise, promise]);
	} finally {
		signal.removeEventListener("abort", onAbort);
	}
}

export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
	throwIfAborted(signal);
	const done = Promise.withResolvers<void>();
	const handle = setTimeout(done.resolve, ms);
	try {
		await abortable(done.promise, signal);
	} finally {
		clearTimeout(handle);
	}
}

/** True for the error of an `AbortController.abort()` without a reason; a timeout is not an abort. */
export function isAbort(error: unknown): boolean {
	return nameOf(error) === "AbortError";
}

export function isTimeout(error: unknown): boolean {
	return nameOf(error) === "TimeoutError";
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
	signal?.throwIfAborted();
}

function nameOf(error: unknown): unknown {
	return typeof error === "object" && error !== null && "name" in error ? error.name : undefined;
}

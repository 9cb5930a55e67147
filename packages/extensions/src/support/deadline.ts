/** Waits for an extension's work, reports when it is slow, and gives up at the deadline. */
import { onDispose, timer } from "@tau/utils";

export interface DeadlineOptions {
	/** After this the wait is reported. */
	slowMs: number;
	/** The wait ends after this. */
	limitMs: number;
	/** While this returns true, the time does not count, because a dialog waits for the user. */
	isPaused(): boolean;
	onSlow(): void;
	/** Ends the wait too, unless it was aborted before it started. */
	signal?: AbortSignal | undefined;
}

/** The wait ended before the work did. */
export class TimedOut extends Error {
	constructor(ms: number) {
		super(`Timed out after ${ms / 1000} s.`);
		this.name = "TimedOut";
	}
}

/** Rejects with `TimedOut`, or with the reason of the signal; the work itself cannot be stopped. */
export async function withDeadline<T>(work: PromiseLike<T>, deadline: DeadlineOptions): Promise<T> {
	const { slowMs, limitMs, isPaused, onSlow, signal } = deadline;
	using owned = new DisposableStack();
	const end = Promise.withResolvers<never>();
	owned.use(whenDue(slowMs, isPaused, onSlow));
	owned.use(whenDue(limitMs, isPaused, () => end.reject(new TimedOut(limitMs))));
	if (signal && !signal.aborted) {
		const stop = (): void => end.reject(signal.reason);
		signal.addEventListener("abort", stop);
		owned.defer(() => signal.removeEventListener("abort", stop));
	}
	return await Promise.race([work, end.promise]);
}

/** After a pause the whole time is given again. */
function whenDue(ms: number, isPaused: () => boolean, act: () => void): Disposable {
	let waiting: Disposable;
	const wait = (): void => {
		waiting = timer(ms, () => (isPaused() ? wait() : act()));
	};
	wait();
	return onDispose(() => waiting[Symbol.dispose]());
}

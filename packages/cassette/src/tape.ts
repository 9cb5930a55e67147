/** Where a recording is put into a running session: a slot in front of its models that costs a null check while it is empty. */
import type { StreamFunction } from "@tau/ai";

/** What requests pass through. */
export type Tap = (next: StreamFunction) => StreamFunction;

export class Tape {
	#tap: Tap | undefined;

	/** Asks as `next` does, and while there is a tap, through it. */
	around(next: StreamFunction): StreamFunction {
		return (model, context, options) => (this.#tap ? this.#tap(next) : next)(model, context, options);
	}

	set(tap: Tap | undefined): void {
		this.#tap = tap;
	}
}

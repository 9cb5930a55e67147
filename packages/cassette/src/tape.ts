/** Where a recording is put into a running session: a slot in front of its models that costs a null check while it is empty. */
import type { Model, StreamFunction } from "@tau/ai";

/** What requests pass through. */
export type Tap = (next: StreamFunction) => StreamFunction;

export class Tape {
	#tap: Tap | undefined;

	/** Asks as `next` does, and while there is a tap, through it. */
	around(next: StreamFunction): StreamFunction {
		const answererFor = (model: Model): StreamFunction => this.#tap?.(next) ?? next.for?.(model) ?? next;
		const around: StreamFunction = (model, context, options) => answererFor(model)(model, context, options);
		return Object.assign(around, { for: answererFor });
	}

	set(tap: Tap | undefined): void {
		this.#tap = tap;
	}
}

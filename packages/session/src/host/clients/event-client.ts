/** A client in this process: it gets the events themselves, at once, and never holds up another one. */
import { log } from "@tau/utils";

import type { SessionEvent } from "../../run/behavior.ts";
import { limits } from "../limits.ts";

/** A promise says when the event was dealt with: written to a pipe, for example. */
export type EventReceiver = (event: SessionEvent) => void | Promise<void>;

export class EventClient {
	readonly #receive: EventReceiver;
	readonly #pending = new Set<Promise<void>>();

	constructor(receive: EventReceiver) {
		this.#receive = receive;
	}

	/** A promise where too much is unread: the pipe of the process that owns the session fills no memory. */
	offer(event: SessionEvent): void | Promise<void> {
		let reading: void | Promise<void>;
		try {
			reading = this.#receive(event);
		} catch (error) {
			return report(event, error);
		}
		if (!reading) return;
		const settled = reading
			.catch((error: unknown) => report(event, error))
			.then(() => void this.#pending.delete(settled));
		this.#pending.add(settled);
		if (this.#pending.size > limits.unreadEvents) return Promise.race(this.#pending);
	}

	/** Resolves when everything that was offered is dealt with. */
	async settled(): Promise<void> {
		while (this.#pending.size > 0) await Promise.all(this.#pending);
	}
}

/** A client that fails does not take the conversation with it. */
function report(event: SessionEvent, error: unknown): void {
	log.error("a session listener failed", { event: event.type, reason: String(error) });
}

/** One event after the other, for a receiver that takes its time over each. */
export function inOrder(receive: EventReceiver): EventReceiver {
	let last: Promise<void> | undefined;
	return (event) => {
		const reading = last ? last.then(() => receive(event)) : receive(event);
		if (!reading) return;
		const mine = reading
			.catch((error: unknown) => report(event, error))
			.then(() => {
				if (last === mine) last = undefined;
			});
		last = mine;
		return mine;
	};
}

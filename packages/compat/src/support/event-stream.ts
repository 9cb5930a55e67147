/** pi's stream of an answer, which extensions with a provider of their own fill by hand. */
import type { AssistantMessage, AssistantMessageEvent } from "@tau/ai";
import { EventStream as OurStream } from "@tau/utils";

/** Ends with the event that `isComplete` says it ends with. */
export class EventStream<T, R = T> implements AsyncIterable<T> {
	readonly #stream = new OurStream<T, R>();
	readonly #isComplete: (event: T) => boolean;
	readonly #resultOf: (event: T) => R;

	constructor(isComplete: (event: T) => boolean, extractResult: (event: T) => R) {
		this.#isComplete = isComplete;
		this.#resultOf = extractResult;
	}

	push(event: T): void {
		this.#stream.push(event);
		if (this.#isComplete(event)) this.#stream.end(this.#resultOf(event));
	}

	/** Without a result it ends with the last event; only the first end counts. */
	end(result?: R): void {
		if (result === undefined) this.#stream.fail(new Error("The stream ended without a result."));
		else this.#stream.end(result);
	}

	/** In addition to pi's: ends with an error for readers and waiting callers. */
	fail(error: unknown): void {
		this.#stream.fail(error);
	}

	[Symbol.asyncIterator](): AsyncIterator<T> {
		return this.#stream[Symbol.asyncIterator]();
	}

	result(): Promise<R> {
		return this.#stream.result();
	}
}

export class AssistantMessageEventStream extends EventStream<AssistantMessageEvent, AssistantMessage> {
	constructor() {
		super(
			({ type }) => type === "done" || type === "error",
			(event) => {
				if (event.type === "done") return event.message;
				if (event.type === "error") return event.error;
				throw new Error(`${event.type} does not end an answer.`);
			},
		);
	}
}

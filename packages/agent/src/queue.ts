/** A queue of messages that is delivered one at a time or all at once. */
import type { AgentMessage, MessageSource } from "./types.ts";

export type QueueMode = "one-at-a-time" | "all";

export class MessageQueue implements MessageSource {
	readonly #onChange: () => void;
	#messages: AgentMessage[] = [];
	mode: QueueMode;

	constructor(mode: QueueMode, onChange: () => void = () => {}) {
		this.mode = mode;
		this.#onChange = onChange;
	}

	get waiting(): number {
		return this.#messages.length;
	}

	/** The messages in the order of delivery. */
	get messages(): readonly AgentMessage[] {
		return this.#messages;
	}

	add(message: AgentMessage): void {
		this.#messages = [...this.#messages, message];
		this.#onChange();
	}

	take(): AgentMessage[] {
		const count = this.mode === "all" ? this.#messages.length : 1;
		return this.#remove(0, count);
	}

	/** Removes and returns the newest message. */
	dequeueLast(): AgentMessage | undefined {
		return this.#remove(this.#messages.length - 1, 1)[0];
	}

	/** Removes what nobody needs any more. */
	withdraw(isStale: (message: AgentMessage) => boolean): void {
		if (!this.#messages.some(isStale)) return;
		this.#messages = this.#messages.filter((message) => !isStale(message));
		this.#onChange();
	}

	clear(): AgentMessage[] {
		return this.#remove(0, this.#messages.length);
	}

	#remove(from: number, count: number): AgentMessage[] {
		const delivered = this.#messages.slice(Math.max(0, from), Math.max(0, from) + count);
		if (delivered.length === 0) return [];
		this.#messages = this.#messages.filter((message) => !delivered.includes(message));
		this.#onChange();
		return delivered;
	}
}

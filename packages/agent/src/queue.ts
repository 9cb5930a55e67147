/** Messages that wait for their turn, handed out one at a time or all at once. */
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

	/** In the order in which they will be said. */
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

	/** Gives the newest back to who wrote it. */
	takeBack(): AgentMessage | undefined {
		return this.#remove(this.#messages.length - 1, 1)[0];
	}

	clear(): AgentMessage[] {
		return this.#remove(0, this.#messages.length);
	}

	#remove(from: number, count: number): AgentMessage[] {
		const taken = this.#messages.slice(Math.max(0, from), Math.max(0, from) + count);
		if (taken.length === 0) return [];
		this.#messages = this.#messages.filter((message) => !taken.includes(message));
		this.#onChange();
		return taken;
	}
}

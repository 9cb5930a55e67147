/** Follows a session's events to describe its current activity in one word. */
import type { AssistantMessageEvent } from "@tau/ai";
import type { SessionEvent } from "@tau/session";

import type { Activity } from "./views/status-lane.ts";

export class ActivityFollower {
	readonly #now: () => number;
	readonly #show: (activity: Activity | undefined) => void;
	readonly #running = new Map<string, string>();
	#since: number | undefined;
	#what = "";

	constructor(now: () => number, show: (activity: Activity | undefined) => void) {
		this.#now = now;
		this.#show = show;
	}

	onEvent(event: SessionEvent): void {
		switch (event.type) {
			case "agent_start":
			case "turn_start":
				return this.#showStatus("waiting for the model");
			case "message_update":
				return this.#showStatus(speaking(event.assistantMessageEvent));
			case "tool_execution_start":
				this.#running.set(event.toolCallId, event.toolName);
				return this.#showStatus(this.#tools());
			case "tool_execution_end":
				this.#running.delete(event.toolCallId);
				return this.#showStatus(this.#running.size > 0 ? this.#tools() : "waiting for the model");
			case "auto_retry_start":
				return this.#wait(event);
			case "compaction_start":
				return this.#showStatus("compacting the conversation");
			case "auto_retry_end":
				return event.success ? undefined : this.rest();
			case "agent_end":
			case "compaction_end":
				return this.rest();
		}
	}

	/** Called when no work is running any more. */
	rest(): void {
		this.#since = undefined;
		this.#what = "";
		this.#running.clear();
		this.#show(undefined);
	}

	#tools(): string {
		const names = [...new Set(this.#running.values())];
		return `running ${names.join(", ")}`;
	}

	#wait({
		attempt,
		maxAttempts,
		delayMs,
		errorMessage,
	}: Extract<SessionEvent, { type: "auto_retry_start" }>): void {
		const now = this.#now();
		this.#what = "retry";
		this.#since ??= now;
		const what = `${errorMessage} Retrying (attempt ${attempt} of ${maxAttempts})`;
		this.#show({ what, since: this.#since, until: now + delayMs });
	}

	#showStatus(what: string | undefined): void {
		if (what === undefined || what === this.#what) return;
		this.#what = what;
		this.#since ??= this.#now();
		this.#show({ what, since: this.#since });
	}
}

function speaking(event: AssistantMessageEvent): string | undefined {
	if (event.type.startsWith("thinking")) return "thinking";
	if (event.type.startsWith("text")) return "answering";
	return event.type.startsWith("toolcall") ? "calling a tool" : undefined;
}

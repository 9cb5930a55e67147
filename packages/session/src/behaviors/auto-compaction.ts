/** Compacts a conversation before it is too long for its model, and when the model reports an overflow. */
import type { AgentMessage } from "@tau/agent";
import type { AssistantMessage } from "@tau/ai";

import type { Behavior, SessionEvent, SessionHandle } from "../run/behavior.ts";
import type { Compactor } from "../compaction/compactor.ts";
import type { CompactionSettings } from "../compaction/settings.ts";

export function autoCompaction(compactor: Compactor, settings: CompactionSettings): Behavior {
	return {
		name: "auto-compaction",
		attach(session) {
			using owned = new DisposableStack();
			const watch = new Watch(session, compactor, settings);
			owned.use(session.beforePrompt(() => watch.makeRoom()));
			owned.use(session.onAfter((event) => watch.onEvent(event)));
			return owned.move();
		},
	};
}

class Watch {
	readonly #session: SessionHandle;
	readonly #compactor: Compactor;
	readonly #settings: CompactionSettings;
	/** True if the run was ended after a turn and continues after the compaction. */
	#isPaused = false;
	/** True if the run has spent its budget: a summary would exceed it. */
	#isExhausted = false;
	/** True if compaction failed and would fail again: it waits for the user's next message. */
	#hasFailed = false;
	/** True if the model was called again after an overflow and has not answered since. */
	#isRescued = false;

	constructor(session: SessionHandle, compactor: Compactor, settings: CompactionSettings) {
		this.#session = session;
		this.#compactor = compactor;
		this.#settings = settings;
	}

	async onEvent(event: SessionEvent): Promise<void> {
		switch (event.type) {
			case "agent_start":
				this.#isExhausted = false;
				return;
			case "budget_exhausted":
				this.#isExhausted = true;
				return;
			case "message_end":
				return this.#onMessage(event.message);
			case "turn_end":
				if (event.toolResults.length > 0 && !event.interrupted) this.#pause();
				return;
			case "agent_end":
				return await this.#ended(event.messages.findLast((message) => message.role === "assistant"));
		}
	}

	/** Runs before a prompt: the user may have switched to a model with a smaller window. */
	async makeRoom(): Promise<void> {
		this.#hasFailed = false;
		this.#isRescued = false;
		if (this.#isWanted()) await this.#run("stop");
	}

	#onMessage(message: AgentMessage): void {
		if (message.role === "user") this.#hasFailed = false;
		if (message.role === "assistant" && message.stopReason !== "error" && message.stopReason !== "aborted")
			this.#isRescued = false;
	}

	/** Between two turns no call is pending, so that the context can be replaced. */
	#pause(): void {
		if (!this.#isWanted()) return;
		this.#isPaused = true;
		this.#session.stop();
	}

	async #ended(answer: AssistantMessage | undefined): Promise<void> {
		const isPaused = this.#isPaused;
		this.#isPaused = false;
		if (this.#session.isAborted || this.#isExhausted) return;
		if (answer?.failure?.kind === "overflow" && answer.stopReason === "error") return await this.#rescue();
		if (isPaused) {
			await this.#run("go on");
			await this.#session.retryAfter(0);
			return;
		}
		const isOver = answer?.stopReason === "stop" || answer?.stopReason === "length";
		// This runs in the background: the answer is complete, and a prompt that comes earlier waits for the end.
		if (isOver && this.#settings.afterAnswer && this.#isWanted()) void this.#run("stop");
	}

	/** Runs once per overflow: a context that is still too long afterwards would stay too long. */
	async #rescue(): Promise<void> {
		if (!this.#settings.enabled) return;
		if (this.#isRescued)
			return this.#session.notice(
				"warning",
				"The conversation still exceeds the model's context after compaction. Start a new session, or choose a model with a larger context.",
			);
		this.#isRescued = true;
		const outcome = await this.#compactor.run({ reason: "overflow", afterwards: "retry" });
		if (outcome.ok) await this.#session.retryAfter(0);
	}

	#isWanted(): boolean {
		return this.#settings.enabled && !this.#hasFailed && !this.#isExhausted && this.#compactor.isNeeded();
	}

	async #run(afterwards: "stop" | "go on"): Promise<void> {
		const outcome = await this.#compactor.run({ reason: "threshold", afterwards });
		if (!outcome.ok && outcome.reason === "failed") this.#hasFailed = true;
	}
}

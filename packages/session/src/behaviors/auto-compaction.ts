/** Makes room before a conversation is too long for its model, when the model reports an overflow, and when an answer is cut off. */
import type { AgentMessage } from "@tau/agent";
import type { AssistantMessage } from "@tau/ai";

import type { Behavior, SessionEvent, SessionHandle } from "../run/behavior.ts";
import { limits } from "../run/limits.ts";
import cutAnswer from "./cut-answer.md" with { type: "text" };
import cutEmpty from "./cut-empty.md" with { type: "text" };
import type { Compactor } from "../compaction/compactor.ts";
import type { CompactionSettings } from "../compaction/settings.ts";

export function autoCompaction(compactor: Compactor, settings: CompactionSettings): Behavior {
	return {
		name: "auto-compaction",
		attach(session) {
			using owned = new DisposableStack();
			const watch = new Watch(session, compactor, settings);
			owned.use(session.beforePrompt(() => watch.makeRoom()));
			owned.use(session.onAfter(watchedEvents, (event) => watch.onEvent(event)));
			return owned.move();
		},
	};
}

const watchedEvents = [
	"agent_start",
	"budget_exhausted",
	"message_end",
	"turn_end",
	"retry_fallback_applied",
	"agent_end",
] as const;

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
	/** Answers in a row that reached the model's output limit. */
	#cutAnswers = 0;
	/** True if the model was called again after an overflow and has not answered since. */
	#isRescued = false;

	constructor(session: SessionHandle, compactor: Compactor, settings: CompactionSettings) {
		this.#session = session;
		this.#compactor = compactor;
		this.#settings = settings;
	}

	async onEvent(event: Extract<SessionEvent, { type: (typeof watchedEvents)[number] }>): Promise<void> {
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
			case "retry_fallback_applied":
				if (this.#compactor.isSealed()) await this.#unseal();
				return;
			case "agent_end":
				return await this.#ended(event.messages.findLast((message) => message.role === "assistant"));
		}
	}

	/** Runs before a prompt: the user may have switched to a model with a smaller window. */
	async makeRoom(): Promise<void> {
		this.#hasFailed = false;
		this.#isRescued = false;
		if (this.#compactor.isSealed()) return await this.#unseal();
		if (!this.#promotesFull() && this.#isWanted()) await this.#run("stop");
	}

	/** Another model continues, which cannot read what a compaction left: it gets a summary of the log instead. */
	async #unseal(): Promise<void> {
		const { provider, id } = this.#session.model;
		const problem = `${provider}/${id} cannot read the compacted part of this conversation`;
		if (!this.#settings.enabled || this.#isExhausted)
			return this.#session.notice("warning", `${problem}. Run /compact to have it summarized.`);
		this.#session.notice("info", `${problem}. It is summarized first.`);
		const outcome = await this.#compactor.run({ reason: "threshold", asText: true });
		if (!outcome.ok) this.#hasFailed = true;
	}

	#onMessage(message: AgentMessage): void {
		if (message.role === "user") {
			this.#hasFailed = false;
			this.#cutAnswers = 0;
		}
		if (message.role === "assistant" && (message.stopReason === "stop" || message.stopReason === "toolUse"))
			this.#cutAnswers = 0;
		if (message.role === "assistant" && message.stopReason !== "error" && message.stopReason !== "aborted")
			this.#isRescued = false;
	}

	/** Between two turns no call is pending, so that the context can be replaced. */
	#pause(): void {
		// The user may have chosen another model during the run.
		const isUnreadable = this.#settings.enabled && !this.#hasFailed && this.#compactor.isSealed();
		// Asked after every turn, and almost always no: counted once.
		if (!isUnreadable && !this.#compactor.isFull) return;
		if (!isUnreadable && (this.#promotesFull() || !this.#isWanted())) return;
		this.#isPaused = true;
		this.#session.stop();
	}

	async #ended(answer: AssistantMessage | undefined): Promise<void> {
		const isPaused = this.#isPaused;
		this.#isPaused = false;
		if (this.#session.isAborted || this.#isExhausted) return;
		if (answer?.failure?.kind === "overflow" && answer.stopReason === "error") return await this.#rescue();
		if (isPaused) {
			const mayContinue = this.#settings.autoContinue !== false;
			let isPruned = false;
			if (this.#compactor.isSealed()) await this.#unseal();
			else isPruned = await this.#run(mayContinue ? "go on" : "stop");
			// The setting is about compactions: without one, the conversation is what it was.
			if (mayContinue || isPruned) await this.#session.retryAfter(0);
			else this.#session.notice("info", waiting);
			return;
		}
		if (answer && isCut(answer)) return await this.#continueCut(answer);
		// This runs in the background: the answer is complete, and a prompt that comes earlier waits for the end.
		if (answer?.stopReason !== "stop" || !this.#settings.afterAnswer) return;
		if (this.#promotesFull() || !this.#isWanted()) return;
		if (this.#settings.strategy === "handoff" && this.#settings.handOff) void this.#handOff();
		else void this.#run("stop");
	}

	/** Lets the model write the rest, a few times; an answer that filled the context needs room first. */
	async #continueCut(answer: AssistantMessage): Promise<void> {
		const { model } = this.#session;
		if (++this.#cutAnswers > limits.cutAnswers) {
			const message = `The answer reached the output limit of ${model.provider}/${model.id} ${this.#cutAnswers} times in a row. Ask for less at once, or choose a model with a larger output.`;
			this.#cutAnswers = 0;
			return await this.#session.emit({ type: "budget_exhausted", limit: "length", message });
		}
		if (!this.#promotesFull() && this.#isWanted()) await this.#run("go on", "incomplete");
		if (this.#session.isAborted) return;
		this.#session.notice(
			"info",
			`The answer reached the output limit. Continuing (${this.#cutAnswers} of ${limits.cutAnswers}).`,
		);
		const content = (answer.failure ? cutEmpty : cutAnswer).trim();
		const message = { role: "custom" as const, customType: "output-limit", content, display: false };
		await this.#session.deliver({ ...message, timestamp: Date.now() }, "followUp");
	}

	#promotesFull(): boolean {
		return !this.#isExhausted && this.#compactor.isFull && this.#promote();
	}

	/** Continues with a model that has a larger window, which costs no summary and loses nothing. */
	#promote(): boolean {
		const { model } = this.#session;
		const larger = this.#settings.larger?.(model);
		// A model that cannot read the compacted part needs a summary of it, which makes room as well.
		if (!larger || this.#compactor.isSealed(larger)) return false;
		this.#session.notice(
			"info",
			`The context of ${model.provider}/${model.id} is full. Continuing with ${larger.provider}/${larger.id}.`,
		);
		this.#session.setModel(larger);
		this.#settings.promoted?.(larger, model);
		return true;
	}

	/** Runs once per overflow: a context that is still too long afterwards would stay too long. */
	async #rescue(): Promise<void> {
		if (this.#promote()) {
			await this.#session.retryAfter(0);
			return;
		}
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

	/** A document that cannot be written is replaced by a summary. */
	async #handOff(): Promise<void> {
		try {
			await this.#settings.handOff?.();
		} catch (error) {
			this.#session.notice("warning", `No handoff was written: ${reasonOf(error)}`);
			if (this.#isWanted()) await this.#run("stop");
		}
	}

	#isWanted(): boolean {
		return this.#settings.enabled && !this.#hasFailed && !this.#isExhausted && this.#compactor.isNeeded();
	}

	/** A summary is made only if removing tool results does not help. Returns whether it did. */
	async #run(
		afterwards: "stop" | "go on",
		reason: "threshold" | "incomplete" = "threshold",
	): Promise<boolean> {
		if (this.#compactor.prune()) return true;
		const outcome = await this.#compactor.run({ reason, afterwards });
		if (!outcome.ok && outcome.reason === "failed") this.#hasFailed = true;
		return false;
	}
}

const waiting = "The run waits for your next prompt (compaction.autoContinue is off).";

/** Its calls, if it made any, were run, and the loop has continued. */
function isCut({ stopReason, failure, content }: AssistantMessage): boolean {
	if (failure?.kind === "output_limit") return true;
	return stopReason === "length" && content.every(({ type }) => type !== "toolCall");
}

function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

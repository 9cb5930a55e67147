/** The phase of a session: one state, owned by the session itself and derived nowhere else. */
import type { Phase } from "@tau/wire";

import type { SessionEvent } from "./behavior.ts";

/**
 * What a session is doing:
 * - `idle`: nothing runs, a prompt begins a run.
 * - `running`: the model answers, or tools run.
 * - `retrying`: a failed request is waited for or repeated.
 * - `compacting`: the conversation is being summarized.
 * - `settling`: the last answer is complete; retries, compaction and follow-ups are still being decided.
 * - `moving`: the session is being replaced by another one.
 * - `closed`: the session was disposed of.
 */
export type { Phase };
export type PhaseListener = (phase: Phase, previous: Phase) => void;

/** The events that lead to another phase. */
export const phaseEvents = [
	"agent_start",
	"agent_end",
	"auto_retry_start",
	"auto_retry_end",
	"compaction_start",
	"compaction_end",
] as const;

export class RunPhase {
	#phase: Phase = "idle";
	/** A run is active, from its prompt to the end of everything that follows from it. */
	#isActive = false;
	/** Clients have seen an end of the run that is active, which then continued by itself. */
	#hasEnded = false;
	/** The user has stopped the run: it delivers no message any more. */
	#isStopping = false;
	/** The phase in which the current compaction started. */
	#beforeCompaction: Phase = "idle";
	#continuesAfterCompaction = false;
	#changed = Promise.withResolvers<void>();
	readonly #onChange: PhaseListener;

	constructor(onChange: PhaseListener) {
		this.#onChange = onChange;
	}

	get current(): Phase {
		return this.#phase;
	}

	/** True while a new prompt has to be queued: as a steering message or as a follow-up. */
	get isBusy(): boolean {
		if (this.#phase === "compacting") return this.#continuesAfterCompaction;
		return this.#phase === "running" || this.#phase === "retrying";
	}

	/**
	 * Resolves as soon as it is decided whether a run continues that is stopped, or whose last answer is complete: with whether clients have
	 * seen `agent_end` of the run that is active, and may take it for over.
	 */
	async settled(): Promise<boolean> {
		while (this.#phase === "settling" || (this.#isStopping && this.isBusy)) await this.#changed.promise;
		return this.#isActive && this.#hasEnded;
	}

	begin(): void {
		this.#isActive = true;
		this.#hasEnded = false;
		this.#isStopping = false;
		this.#set("running");
	}

	stop(): void {
		this.#isStopping = this.#isActive;
	}

	/** The run is over, with all that behaviors added to it. */
	end(): void {
		this.#isActive = false;
		this.#isStopping = false;
		if (this.#phase !== "compacting") this.#set("idle");
	}

	close(): void {
		this.#set("closed");
	}

	/** Called before anybody else handles the event. */
	follow(event: Extract<SessionEvent, { type: (typeof phaseEvents)[number] }>): void {
		switch (event.type) {
			case "agent_start":
				return this.#set("running");
			case "agent_end":
				this.#hasEnded = true;
				return this.#set("settling");
			case "auto_retry_start":
				return this.#set("retrying");
			case "auto_retry_end":
				return this.#set(event.success ? "running" : "settling");
			case "compaction_start":
				this.#beforeCompaction = this.#phase;
				this.#continuesAfterCompaction = event.willRetry || this.isBusy;
				return this.#set("compacting");
			case "compaction_end":
				return this.#compacted(event.willRetry);
		}
	}

	#compacted(willRetry: boolean): void {
		this.#continuesAfterCompaction = false;
		// A prompt may have started a run meanwhile; it waits for the compaction by itself.
		if (this.#phase !== "compacting") return;
		if (!this.#isActive) return this.#set("idle");
		const isBeforePrompt = this.#beforeCompaction === "running";
		this.#set(willRetry || isBeforePrompt ? "running" : "settling");
	}

	#set(phase: Phase): void {
		const previous = this.#phase;
		if (phase === previous || previous === "closed") return;
		this.#phase = phase;
		this.#changed.resolve();
		this.#changed = Promise.withResolvers();
		this.#onChange(phase, previous);
	}
}

/** What reacts to a session is a behavior: it is attached, listens, acts through a narrow interface, can be detached. */
import type { AgentEvent, AnswerInterruption } from "@tau/agent";
import type { AssistantMessage, Model } from "@tau/ai";

import type { ToolChange, ToolCheck } from "./tool-hooks.ts";

/** Everything that a session tells: the events of the loop and its own. */
export type SessionEvent =
	| AgentEvent
	| { type: "notice"; level: "info" | "warning"; message: string }
	| { type: "queue_update"; steering: readonly string[]; followUp: readonly string[] }
	/** The session got another name, from the person or from a model. */
	| { type: "session_info_changed"; name?: string }
	| { type: "auto_retry_start"; attempt: number; maxAttempts: number; delayMs: number; errorMessage: string }
	| { type: "auto_retry_end"; success: boolean; attempt: number; finalError?: string }
	| { type: "budget_exhausted"; limit: "cost" | "turns" | "tokens" | "loop"; message: string };

export type SessionListener = (event: SessionEvent) => void | Promise<void>;

/** What a behavior may do with its session. */
export interface SessionHandle {
	readonly model: Model;
	/** Hears every event before anybody else does. */
	on(listener: SessionListener): Disposable;
	/** Hears every event when everybody else has: for what answers an event with events of its own. */
	after(listener: SessionListener): Disposable;
	/** Tells everybody who listens. */
	tell(event: SessionEvent): Promise<void>;
	/** Tells the person something, once, wherever the person is. */
	notice(level: "info" | "warning", message: string): void;
	/**
	 * Wants the model asked again when the run that is ending has ended: its failed answer is left out of the
	 * conversation (and stays in the log). The wait can be aborted like a run. Resolves when the wait is over, with
	 * whether it was waited out.
	 */
	again(delayMs: number): Promise<boolean>;
	/** Takes effect at the next request. */
	setModel(model: Model): void;
	/** Ends the run after the turn at hand. */
	stop(): void;
	/**
	 * Called while an answer is heard (`message_update`): ends it, and has the model asked again with the message behind
	 * it, in the same run. None of its calls is run; it is neither a failed turn nor a stop by the user. In the log it
	 * stays either way. Says whether it was taken: another behavior may have been first, or too many in a row were.
	 */
	interrupt(interruption: AnswerInterruption): boolean;
	/** Asks before a call runs. */
	beforeTool(check: ToolCheck): Disposable;
	afterTool(change: ToolChange): Disposable;
	/** Counts an answer that is no turn of the conversation to what the session has used. */
	spend(answer: AssistantMessage): void;
}

export interface Behavior {
	readonly name: string;
	attach(session: SessionHandle): Disposable;
}

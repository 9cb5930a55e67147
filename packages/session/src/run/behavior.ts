/** What reacts to a session is a behavior: it is attached, listens, acts through a narrow interface, can be detached. */
import type { AgentEvent, AgentMessage, AgentState, AgentTool, AnswerInterruption } from "@tau/agent";
import type { AssistantMessage, Context, Model, StreamOptions } from "@tau/ai";

import type { Rule } from "./rule.ts";
import type { RunHooks } from "./run-hooks.ts";
import type { TodoItem } from "./todo-item.ts";
import type { GateSource } from "./tool-hooks.ts";

/** Everything that a session tells: the events of the loop and its own. */
export type SessionEvent =
	| AgentEvent
	| { type: "notice"; level: "info" | "warning"; message: string }
	| { type: "queue_update"; steering: readonly string[]; followUp: readonly string[] }
	/** The session got another name, from the person or from a model. */
	| { type: "session_info_changed"; name?: string }
	| { type: "auto_retry_start"; attempt: number; maxAttempts: number; delayMs: number; errorMessage: string }
	| { type: "auto_retry_end"; success: boolean; attempt: number; finalError?: string }
	/** A model that does not answer has given way to one of `fallbackModels`, and that one has answered. */
	| { type: "retry_fallback_applied"; from: string; to: string; role: string; reason: string }
	| { type: "retry_fallback_succeeded"; model: string; role: string }
	/** A handler of an extension threw, or was given up. Everything else goes on. */
	| { type: "extension_error"; extensionPath: string; event: string; error: string }
	/** A command of the model that runs by itself was started, or has ended. */
	| { type: "job_update"; id: string; label: string; state: "running" | "done" | "failed" | "killed" }
	| { type: "budget_exhausted"; limit: "cost" | "turns" | "tokens" | "loop"; message: string }
	/** What the model says has met the conditions of rules. */
	| { type: "ttsr_triggered"; rules: Rule[] }
	/** The model would stop, and is reminded of what is still to be done. */
	| { type: "todo_reminder"; todos: TodoItem[]; attempt: number; maxAttempts: number }
	/** pi's names for every compaction, and omp's for those that nobody asked for. */
	| { type: "compaction_start"; reason: "manual" | "threshold" | "overflow"; willRetry: boolean }
	| ({ type: "compaction_end"; reason: "manual" | "threshold" | "overflow" } & CompactionEnd)
	| { type: "auto_compaction_start"; reason: "threshold" | "overflow"; willRetry: boolean }
	| ({ type: "auto_compaction_end" } & CompactionEnd);

interface CompactionEnd {
	/** `null` where it was stopped or failed: then everything is as it was. */
	result: CompactionResult | null;
	aborted: boolean;
	/** The model is asked again now, without anybody saying something. */
	willRetry: boolean;
	/** Why it failed. */
	errorMessage?: string;
}

export interface CompactionResult {
	summary: string;
	/** From here on the conversation is kept as it was. */
	firstKeptEntryId: string;
	tokensBefore: number;
	details: unknown;
}

export type SessionListener = (event: SessionEvent) => void | Promise<void>;

/** What a behavior may do with its session. */
export interface SessionHandle {
	readonly model: Model;
	readonly state: AgentState;
	/** Whether the person has stopped the prompt that is being answered. */
	readonly isAborted: boolean;
	/** Aborted when the person does so; undefined when nothing is being answered. */
	readonly signal: AbortSignal | undefined;
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
	/** Puts a gate before tool calls: it may rewrite, judge, and change results. */
	gateTools(source: GateSource): Disposable;
	/** Waited for before each prompt is said. */
	beforePrompt(wait: () => Promise<void>): Disposable;
	/** Stands between a prompt and the model. */
	readonly hooks: RunHooks;
	/**
	 * Says something of the application's own: after the running tools, when the model would stop, or only to be read
	 * with the next prompt (not while one is answered). In a run that is ending, it is said in another one behind it.
	 */
	deliver(message: AgentMessage, as: "steer" | "followUp" | "append"): Promise<void>;
	/** A tool of this name, also one that is hidden. */
	findTool(name: string): AgentTool | undefined;
	/** Builds the system prompt again; takes effect at the next request. */
	refreshSystemPrompt(): void;
	/** Exchanges the conversation that the model sees. A request that is under way has its own. */
	replaceMessages(messages: readonly AgentMessage[]): void;
	/** One request beside the conversation, with its model and key. What fails is in the answer, but for the key. */
	ask(context: Context, options: StreamOptions): Promise<AssistantMessage>;
	/** Counts an answer that is no turn of the conversation to what the session has used. */
	spend(answer: AssistantMessage): void;
}

export interface Behavior {
	readonly name: string;
	attach(session: SessionHandle): Disposable;
}

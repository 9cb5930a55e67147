/** What reacts to a session is a behavior: it is attached, listens, acts through a narrow interface, can be detached. */
import type { AgentEvent, AgentMessage, AgentState, AgentTool, AnswerInterruption } from "@tau/agent";
import type { AssistantMessage, Context, Model, StreamOptions } from "@tau/ai";
import type { RunHooks } from "./run-hooks.ts";
import type { OwnSessionEvent } from "@tau/wire";
import type { GateSource } from "./tool-hooks.ts";

/** Every event of a session: those of the agent loop, its own (rows of the table in `@tau/wire`), and its children's. */
export type SessionEvent = AgentEvent | OwnSessionEvent | ChildEvent;

/** An event of a child session, as the parent emits it. */
interface ChildEvent {
	type: "child_event";
	id: string;
	event: SessionEvent;
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
	onBefore(listener: SessionListener): Disposable;
	/** Hears every event when everybody else has: for what answers an event with events of its own. */
	onAfter(listener: SessionListener): Disposable;
	/** Tells everybody who listens. */
	emit(event: SessionEvent): Promise<void>;
	/** Tells the person something, once, wherever the person is. */
	notice(level: "info" | "warning", message: string): void;
	/**
	 * Wants the model asked again when the run that is ending has ended: its failed answer is left out of the
	 * conversation (and stays in the log). The wait can be aborted like a run. Resolves when the wait is over, with
	 * whether it was waited out.
	 */
	retryAfter(delayMs: number): Promise<boolean>;
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
	recordUsage(answer: AssistantMessage): void;
}

export interface Behavior {
	readonly name: string;
	attach(session: SessionHandle): Disposable;
}

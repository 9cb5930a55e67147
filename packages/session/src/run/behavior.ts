/** A behavior reacts to a session: it is attached, listens, acts through a narrow interface and can be detached. */
import type { AgentEvent, AgentMessage, AgentState, AgentTool, AnswerInterruption } from "@tau/agent";
import type { AssistantMessage, Context, Model, StreamOptions } from "@tau/ai";
import type { BreakCause } from "./prefix-watch.ts";
import type { RunHooks } from "./run-hooks.ts";
import type { PhaseListener } from "./run-phase.ts";
import type { OwnSessionEvent } from "@tau/wire";
import type { GateSource } from "./tool-hooks.ts";
import type { PaidAnswer } from "./usage-ledger.ts";

/** Every event of a session: those of the agent loop, its own (rows of the table in `@tau/wire`), and its children's. */
export type SessionEvent = AgentEvent | OwnSessionEvent | ChildEvent;

/** An event of a child session, as the parent emits it. */
interface ChildEvent {
	type: "child_event";
	id: string;
	event: SessionEvent;
}

export type EventType = SessionEvent["type"];

/** Handles the events of the types that it subscribes to. */
export type SessionListener<Type extends EventType = EventType> = (
	event: Extract<SessionEvent, { type: Type }>,
) => void | Promise<void>;

/** Events of other types are not delivered: a session emits dozens per turn, and one for each delta. */
export type EventTypes<Type extends EventType> = readonly Type[] | "all";

/** What a behavior can do with its session. */
export interface SessionHandle {
	readonly model: Model;
	readonly state: AgentState;
	/** Whether the user has stopped the run. */
	readonly isAborted: boolean;
	/** Aborted when the user stops the run; undefined when no run is active. */
	readonly signal: AbortSignal | undefined;
	/** Receives the events of these types before other listeners. */
	onBefore<Type extends EventType>(types: EventTypes<Type>, listener: SessionListener<Type>): Disposable;
	/** Receives the events of these types after all other listeners: for behaviors that respond with events of their own. */
	onAfter<Type extends EventType>(types: EventTypes<Type>, listener: SessionListener<Type>): Disposable;
	/** Emits an event to all listeners. */
	emit(event: SessionEvent): Promise<void>;
	/** Shows a notice in whatever client is connected. */
	notice(level: "info" | "warning", message: string): void;
	/**
	 * Requests a retry after the ending run: its failed answer is removed from the conversation (and stays in the log).
	 * The wait can be aborted like a run. Resolves when the wait ends, with false if it was aborted.
	 */
	retryAfter(delayMs: number): Promise<boolean>;
	/** Takes effect at the next request. */
	setModel(model: Model): void;
	/** Stops the run after the current turn. */
	stop(): void;
	/** Stops the run at once, as the user does. */
	abort(): void;
	/** Called at each change of the session's phase. */
	onPhase(listener: PhaseListener): Disposable;
	/**
	 * Called while an answer streams (`message_update`): ends it, and calls the model again with the message after it, in
	 * the same run. None of its calls runs; it is neither a failed turn nor an abort by the user. It stays in the log
	 * either way. Returns whether it was accepted: another behavior may have been first, or there were too many in a row.
	 */
	interrupt(interruption: AnswerInterruption): boolean;
	/** Puts a gate before tool calls: it may rewrite, judge, and change results. */
	gateTools(source: GateSource): Disposable;
	/** Awaited before each prompt is sent. */
	beforePrompt(wait: () => Promise<void>): Disposable;
	/** Hooks between a prompt and the model. */
	readonly hooks: RunHooks;
	/**
	 * Delivers a message of the application: after the running tools, or when the model would stop; in an ending run, it
	 * is sent in another run after it. With `append` it never causes a request: it is stored after the current turn, and
	 * the model reads it with the next request.
	 */
	deliver(message: AgentMessage, as: "steer" | "followUp" | "append"): Promise<void>;
	/** A tool of this name, also one that is hidden. */
	findTool(name: string): AgentTool | undefined;
	/** Builds the system prompt again; takes effect at the next request. */
	refreshSystemPrompt(): void;
	/** Replaces the conversation that the model sees. A request in flight keeps its own. */
	replaceMessages(messages: readonly AgentMessage[]): void;
	/**
	 * Sends one request beside the conversation, to its model or another one, with the key of that. A failure is part of
	 * the answer, except for a missing key.
	 */
	ask(context: Context, options: StreamOptions, model?: Model): Promise<AssistantMessage>;
	/**
	 * The request that would be sent now, without calls that are still running. Another one that starts with the same messages, and has the same options, is
	 * answered from the provider's cache.
	 */
	nextRequest(signal: AbortSignal): Promise<NextRequest>;
	/** Like `ask`, with the answer as it arrives, and seen by the hooks of requests. Rejects with what `onText` throws. */
	sideTurn(request: SideTurn): Promise<AssistantMessage>;
	/** The next change of what the model has read already has this cause. */
	expectBreak(cause: BreakCause): void;
	/** Adds the usage of an answer that is not a turn of the conversation; `kind` says what it was for. */
	recordUsage(kind: string, answer: PaidAnswer): void;
}

/** A request beside the conversation whose answer is streamed. */
export interface SideTurn {
	context: Context;
	options?: Pick<StreamOptions, "reasoning" | "sessionId" | "maxTokens">;
	/** The model of the conversation by default. */
	model?: Model;
	signal: AbortSignal;
	/** Ends the answer as soon as it begins: only the reading of the request is wanted. */
	isPing?: boolean;
	/** Waited for, in order. */
	onText?: ((delta: string) => void | Promise<void>) | undefined;
}

export interface NextRequest {
	context: Context;
	options: Pick<StreamOptions, "reasoning" | "sessionId">;
}

export interface Behavior {
	readonly name: string;
	attach(session: SessionHandle): Disposable;
}

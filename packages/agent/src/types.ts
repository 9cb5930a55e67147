/** The vocabulary of the loop: tools that can be run, messages of an application, events of a run. */
import type {
	Access,
	AssistantMessage,
	AssistantMessageEvent,
	Context,
	ImageContent,
	Message,
	Model,
	StreamFunction,
	StopReason,
	StreamOptions,
	TextContent,
	ThinkingLevel,
	Tool,
	ToolResultMessage,
	Usage,
} from "@tau/ai/portable";

import type { AnswerInterrupt } from "./answer-interrupt.ts";
import type { JudgedPaths, ToolApproval, ToolGate, Touch } from "./tool-gate.ts";

/** Applications add their own messages by declaration merging. */
export interface CustomMessages {}

export type AgentMessage = Message | CustomMessages[keyof CustomMessages];

/** The result of a tool: `content` for the model, `details` for renderers. */
export interface AgentToolResult<TDetails = unknown> {
	content: (TextContent | ImageContent)[];
	details?: TDetails;
	isError?: boolean;
	/** The result as data, for tools and handlers that call or watch this one; models read `content`. */
	structuredContent?: unknown;
	/** What models cost that the tool asked itself; counted in the session. */
	usage?: Usage;
	/** The result says nothing that the model will need again; maintenance may drop it first. */
	useless?: boolean;
	/** The names of the tools that the result makes available; the first text of `content` lists them. */
	foundTools?: readonly string[];
}

/**
 * A fact that a compaction carries over as it is. A later fact of the same section and key replaces an earlier one, and
 * one with an empty text removes it.
 */
export interface CarriedFact {
	section: "todo" | "decision" | "failing";
	key: string;
	text: string;
}

export type ToolUpdate<TDetails = unknown> = (partial: AgentToolResult<TDetails>) => void;

/** `notes` describe what was coerced in nearly valid arguments. */
export type Validated =
	{ ok: true; value: Record<string, unknown>; notes?: readonly string[] } | { ok: false; reason: string };

/** What an approval shows beside the arguments of the call. */
export interface Preview {
	readonly kind: "diff" | "text";
	readonly text: string;
}

/** The text of a file, or a part of it, as a call finds it and would leave it. */
export interface TextChange {
	readonly path: string;
	/** Empty if it is not known or there is none. */
	readonly before: string;
	readonly after: string;
}

/** A tool that the loop can run. */
export interface AgentTool extends Tool {
	label: string;
	/** Other names that rules and hooks may use for it, such as Claude Code's. */
	aliases?: readonly string[];
	/** `shared` tools of one answer run side by side; an `exclusive` one runs alone. */
	concurrency: "shared" | "exclusive";
	/** What it may do to the machine; approval rules refer to this tier. */
	approval: ToolApproval;
	/** The tier of one call, where it is lower than that of the tool. */
	approvalFor?(params: Readonly<Record<string, unknown>>): ToolApproval;
	/** The tool is code that the user trusts, and has not said what it may do: `approval` is the highest tier then. */
	isUndeclared?: boolean;
	/** Arguments with text that the user may change before the call is allowed, at any depth: `command`, `content`. */
	amends?: readonly string[];
	/** What a call would change, for the user who is asked to approve it; undefined if there is nothing to show. */
	preview?(
		params: Readonly<Record<string, unknown>>,
		signal: AbortSignal,
		within?: JudgedPaths,
	): Promise<Preview | undefined>;
	/**
	 * What a call would touch: the one source for approvals, file lists, hooks and rules. Also asked about calls of old
	 * sessions and about arguments that are still streaming; what cannot be derived from them is left out.
	 */
	touches?(params: Readonly<Record<string, unknown>>): readonly Touch[];
	/** The texts that a call would replace, as far as they are known before it runs: for checks of what is written. */
	changes?(params: Readonly<Record<string, unknown>>): readonly TextChange[];
	/** Called when a call begins to arrive: starts what takes a while, without waiting for it. The call may never run. */
	prepare?(): void;
	/** What a compaction must not lose of a message: a result of this tool, or a message of the application. */
	carries?(message: AgentMessage): readonly CarriedFact[];
	validate(input: Readonly<Record<string, unknown>>): Validated;
	/** `params` are frozen: they are what was announced and approved. */
	execute(
		toolCallId: string,
		params: Readonly<Record<string, unknown>>,
		signal: AbortSignal,
		onUpdate: ToolUpdate,
		/** The files that the call was judged by. */
		within?: JudgedPaths,
	): Promise<AgentToolResult>;
}

export interface AgentContext {
	systemPrompt: string;
	messages: AgentMessage[];
	tools: AgentTool[];
}

/** What may differ from one request of a run to the next. */
export interface TurnSettings {
	model: Model;
	reasoning?: ThinkingLevel;
	systemPrompt?: string;
	tools?: AgentTool[];
}

/** Interrupts the answer and prompts the model again with a message. */
export interface AnswerInterruption {
	/** The reason, for the user and for the log. */
	reason: string;
	/** Whether the answer so far is removed from the conversation; it is emitted and logged either way. */
	discard: boolean;
	/** The message to the model before it continues: of the user, or of the application. */
	message: AgentMessage;
}

/** What events report about an interrupted answer: it neither failed nor was aborted by the user. */
export interface Interrupted {
	reason: string;
	discarded: boolean;
}

/** A request to a model before it is sent: what, and what answers it. */
export interface ModelRequest {
	model: Model;
	context: Context;
	options: StreamOptions;
	stream: StreamFunction;
}

export interface AgentLoopConfig {
	/** Sent unchanged with every request. */
	options?: Omit<StreamOptions, "signal" | "apiKey" | "reasoning">;
	/** Asked before each request, so that a switch of the model takes effect at the next turn. */
	settings(): TurnSettings;
	/** Turns the application's messages into what a model reads. */
	convertToLlm(messages: readonly AgentMessage[]): Message[];
	/** Works on the application's messages before they are converted: leaves some out, adds some. */
	transformContext?(
		messages: readonly AgentMessage[],
		signal: AbortSignal,
	): Promise<readonly AgentMessage[]> | readonly AgentMessage[];
	/** Asked before each request, because short-lived keys expire while tools run. */
	access(model: Model): Promise<Access> | Access;
	stream: StreamFunction;
	/** Changes each request before it is sent. */
	beforeRequest?(request: ModelRequest): ModelRequest;
	/** Asked after each turn: a yes ends the run there, as if the model had stopped. */
	shouldStop?(): boolean;
	/** Lets listeners interrupt an answer. With it the loop waits, after each answer, for all listeners. */
	interrupt?: AnswerInterrupt;
	/** Messages that the user sent while tools were running; `take` returns each once. */
	steering?: MessageSource;
	/** Messages to send when the agent would stop. */
	followUps?: MessageSource;
	/** Taken when a further request is due anyway: they join the conversation before it and never cause one. */
	takeNotes?(): AgentMessage[];
	/** The gates that each tool call passes, asked for once a call. */
	toolGates?(): Iterable<ToolGate>;
	/** Asked for a tool that was called but not declared: one that the model has to search for, or that comes late. */
	findTool?(name: string, signal: AbortSignal): Promise<AgentTool | undefined>;
	/** In milliseconds, for the time that tools take; it may stop while the user is asked. */
	clock?(): number;
}

export interface MessageSource {
	readonly waiting: number;
	take(): AgentMessage[];
}

/** What is new in an answer; its start and its end are `message_start` and `message_end`. */
export type AnswerUpdate = Exclude<AssistantMessageEvent, { type: "start" | "done" | "error" }>;

export type AgentEvent =
	| { type: "agent_start" }
	/** `stopReason` and `errorMessage` are those of the last answer; absent if there was none. */
	| { type: "agent_end"; messages: AgentMessage[]; stopReason?: StopReason; errorMessage?: string }
	| { type: "turn_start" }
	| {
			type: "turn_end";
			message: AssistantMessage;
			toolResults: ToolResultMessage[];
			interrupted?: Interrupted;
	  }
	| { type: "message_start"; message: AgentMessage }
	| { type: "message_update"; message: AssistantMessage; assistantMessageEvent: AnswerUpdate }
	/** `entryId`: its line in the log, filled in when it is written. */
	| { type: "message_end"; message: AgentMessage; interrupted?: Interrupted; entryId?: string }
	/** `args` are what runs: validated, with what gates made of them. A call that is refused has them as far as they got. */
	| {
			type: "tool_execution_start";
			toolCallId: string;
			/** The call of the tool that made this call; a call of the model has none. */
			parentToolCallId?: string;
			toolName: string;
			args: Readonly<Record<string, unknown>>;
	  }
	| {
			type: "tool_execution_update";
			toolCallId: string;
			parentToolCallId?: string;
			toolName: string;
			args: Readonly<Record<string, unknown>>;
			partialResult: AgentToolResult;
	  }
	| {
			type: "tool_execution_end";
			toolCallId: string;
			parentToolCallId?: string;
			toolName: string;
			result: AgentToolResult;
			isError: boolean;
			/** How long the tool ran; absent if it did not. */
			durationMs?: number;
	  };

/** The events that are emitted to extensions, and their handlers' results. The names and fields are pi's and omp's. */
import type { AgentMessage, AgentToolResult } from "@tau/agent";
import type { CompactionChange } from "@tau/session/run";
import type { ImageContent, Message, Model, TextContent, ThinkingLevel, Usage } from "@tau/ai";
import type { BashExecutionMessage, ContextEditEntry, CustomMessage, SessionEntry } from "@tau/log";
import type { SessionEvent } from "@tau/session";
import type { ExtensionEventName as SessionEventName } from "@tau/wire";
import type * as McpSdk from "@modelcontextprotocol/server";

import type { SystemMessage } from "../support/system-messages.ts";
import type { BashOperations } from "./bash-operations.ts";
import type {
	SessionStartEvent,
	SessionBeforeSwitchEvent,
	SessionBeforeForkEvent,
	SessionSwitchEvent,
	SessionForkEvent,
	SessionShutdownEvent,
	SessionBeforeCompactEvent,
	SessionCompactingEvent,
	SessionCompactEvent,
	SessionCompactFailedEvent,
	SessionBeforeTreeEvent,
	SessionTreeEvent,
} from "./session-moves.ts";

export type * from "./session-moves.ts";

type OfType<T extends SessionEvent["type"]> = Extract<SessionEvent, { type: T }>;

export interface ResourcesDiscoverEvent {
	type: "resources_discover";
	cwd: string;
	reason: "startup" | "reload";
}

export interface ResourcesDiscoverResult {
	skillPaths?: string[];
	promptPaths?: string[];
	themePaths?: string[];
}

export interface ContextEvent {
	type: "context";
	/** A copy: what is done to it reaches this one request. */
	messages: AgentMessage[];
}

/** Behind all handlers of `context`: the whole of one request, with the system prompt and the tools as its first message. */
export interface ContextWithSystemEvent {
	type: "context_with_system";
	messages: (AgentMessage | SystemMessage)[];
}

/** The raw event of a model's server, before it is parsed. */
export interface ProviderStreamEvent {
	type: "provider_stream_event";
	provider: string;
	api: string;
	model: string;
	data: unknown;
}

/** omp's: a stored key or login was rejected permanently, and is no longer used. */
export interface CredentialDisabledEvent {
	type: "credential_disabled";
	provider: string;
	disabledCause: string;
	accountId?: string;
}

/** Asked before code of the project is loaded, of those extensions that are not the project's. */
export interface ProjectTrustEvent {
	type: "project_trust";
	cwd: string;
}

/** Only a no has an effect: only the user can grant trust, so a yes is the same as `undecided`. */
export interface ProjectTrustResult {
	trusted: "yes" | "no" | "undecided";
	/** If true, a no is stored for the next time. */
	remember?: boolean;
}

export interface BeforeProviderRequestEvent {
	type: "before_provider_request";
	payload: unknown;
}

/** Changed in place; null removes a header. */
export interface BeforeProviderHeadersEvent {
	type: "before_provider_headers";
	headers: Record<string, string | null>;
}

export interface AfterProviderResponseEvent {
	type: "after_provider_response";
	status: number;
	headers: Record<string, string>;
}

/** What the system prompt was made of. */
export interface BuildSystemPromptOptions {
	cwd: string;
	customPrompt?: string;
	appendSystemPrompt?: string;
	/** The active tools, which a handler may change for this run, and those of them that the prompt does not mention. */
	selectedTools?: string[];
	hiddenTools?: string[];
	toolSnippets?: Record<string, string>;
	toolGuidelines?: Record<string, string[]>;
	promptGuidelines?: string[];
	contextFiles?: { path: string; content: string }[];
	skills?: PromptSkill[];
	/** Set by a handler: the exact prompt of this run. */
	forceSystemPrompt?: string;
	/** Set by a handler: texts that follow the prompt of this run, each in a tag of its name. */
	sections?: Record<string, string>;
}

/** A skill by pi's names. */
export interface PromptSkill {
	name: string;
	description: string;
	filePath: string;
	baseDir?: string;
	disableModelInvocation?: boolean;
}

export interface BeforeAgentStartEvent {
	type: "before_agent_start";
	/** A prompt of the user, or one that an extension sends for them. */
	messageType: "user";
	prompt: string;
	images?: readonly ImageContent[];
	/** As the handlers before this one have left it. */
	systemPrompt: string;
	/** What the prompt is built from; changes take effect in this run. */
	systemPromptOptions: BuildSystemPromptOptions;
}

/** What a handler of a boundary puts into the session. */
export type BoundaryEntry =
	| { type: "custom"; customType: string; data?: unknown }
	| ({ type: "custom_message" } & OwnMessage)
	| { type: "context_edit"; targetId: string; replacement: ContextEditEntry["replacement"] };

/** At the end of a turn or run: each handler sees the proposals of those before it. */
export interface BoundaryState {
	entries: BoundaryEntry[];
	continue: boolean;
	outcome: "completed" | "aborted" | "error";
	/** The context that the model would receive. */
	readonly context: {
		contextEntries: { sourceEntry: SessionEntry; messages: AgentMessage[] }[];
		contextMessages: AgentMessage[];
		llmMessages: Message[];
		pendingMessages: AgentMessage[];
		canContinue: boolean;
	};
}

/** Emitted when no automatic continuation is left; handlers may still continue the run. */
export interface AgentBeforeSettleEvent extends BoundaryState {
	type: "agent_before_settle";
}

export interface TurnEndEvent extends OfTurn, BoundaryState {
	turnIndex: number;
	/** The id of the session entry that stores the message. */
	readonly messageEntryId: string | undefined;
	readonly toolResultEntryIds: string[];
}

type OfTurn = OfType<"turn_end">;

/** Omitted fields stay unchanged. */
export interface BoundaryResult {
	entries?: BoundaryEntry[];
	/** The model is asked again; it needs something to answer, so one of the entries has to be a message. */
	continue?: boolean;
}

/** The session is idle: no retry, no compaction, no queued message is left. */
export interface AgentSettledEvent {
	type: "agent_settled";
	aborted: boolean;
}

/** omp's: the model has stopped, and handlers may make it continue. */
export interface SessionStopEvent {
	type: "session_stop";
	messages: AgentMessage[];
	turn_id: number;
	last_assistant_message?: AgentMessage;
	session_id: string;
	session_file?: string;
	/** True if a handler has made it continue before; one that always does would never let it end. */
	stop_hook_active: boolean;
	signal: AbortSignal;
}

export interface SessionStopResult {
	continue?: boolean;
	/** Text that is sent to the model. */
	additionalContext?: string;
	/** Claude Code's names for the same. */
	decision?: "block";
	reason?: string;
}

/** Emitted when a dialog of an extension starts or stops waiting for the user. */
export interface UIPromptEvent<T extends "ui_prompt_start" | "ui_prompt_end"> {
	type: T;
	reason: "ui_prompt";
	kind: DialogKind;
	title?: string;
}

export type DialogKind = "select" | "confirm" | "input" | "editor" | "custom";

export interface ModelSelectEvent {
	type: "model_select";
	model: Model;
	previousModel: Model | undefined;
	source: "set" | "cycle" | "restore";
}

export interface ThinkingLevelSelectEvent {
	type: "thinking_level_select";
	level: ThinkingLevel;
	previousLevel: ThinkingLevel;
}

export interface UserBashEvent {
	type: "user_bash";
	command: string;
	excludeFromContext: boolean;
	cwd: string;
}

export interface UserPythonEvent {
	type: "user_python";
	code: string;
	excludeFromContext: boolean;
	cwd: string;
}

export type InputSource = "interactive" | "rpc" | "extension";

export interface InputEvent {
	type: "input";
	text: string;
	images?: readonly ImageContent[];
	source: InputSource;
	/** How the input is delivered while an answer is streaming. */
	streamingBehavior?: "steer" | "followUp";
}

export type InputEventResult =
	| { action: "continue" }
	| { action: "transform"; text: string; images?: readonly ImageContent[] }
	| { action: "handled" };

export interface ToolCallEvent<Name extends string = string, Input = Record<string, unknown>> {
	type: "tool_call";
	toolCallId: string;
	toolName: Name;
	/** Changing it changes the call, before it is announced; the tool validates the arguments again. */
	input: Input;
	/** For a call that a tool made: that tool's call. */
	parentToolCallId?: string;
}

export interface ToolCallResult {
	block?: boolean;
	reason?: string;
	/** With `block`: the run ends after this answer if every call of it sets `terminate`. */
	terminate?: boolean;
	/** omp's: the call is run with this instead. */
	input?: Record<string, unknown>;
	/** omp's field: text that is sent to the model with the result. */
	additionalContext?: string;
}

export interface ToolResultEvent<Name extends string = string, Details = unknown> {
	type: "tool_result";
	toolCallId: string;
	toolName: Name;
	input: Record<string, unknown>;
	content: (TextContent | ImageContent)[];
	details: Details;
	structuredContent?: unknown;
	isError: boolean;
	/** What models cost that the tool asked itself. */
	usage?: Usage;
	parentToolCallId?: string;
}

type BashOutcome = Pick<BashExecutionMessage, "output" | "exitCode" | "cancelled" | "truncated">;

/** What a handler may send along with `sendMessage` and `before_agent_start`. */
export type OwnMessage<T = unknown> = Pick<
	CustomMessage<T>,
	"customType" | "content" | "display" | "details"
>;

/** Tau serves an MCP client (`tau mcp serve`): handlers may add tools, resources and prompts of their own. */
export interface McpServeEvent {
	type: "mcp_serve";
	/** The official SDK's server; a new one for each connection or request. */
	server: McpSdk.McpServer;
	/** The official SDK, so that a handler need not install it. */
	sdk: typeof McpSdk;
	/** Signs state that a handler returns with `sdk.inputRequired`; other state is rejected when it comes back. */
	mint(state: unknown): Promise<string>;
}

/** An agent is about to be opened. */
export interface BeforeSubagentSpawnEvent {
	type: "before_subagent_spawn";
	/** The type of agent. */
	agent: string;
	invocationKind: "task";
	/** The role that the models come from. */
	modelRole?: string;
	/** Names of models in the order of preference. */
	patterns: string[];
	/** The name of the agent, which is unique in the session. */
	spawnKey: string;
}

export interface BeforeSubagentSpawnResult {
	/** Other models, in the order of preference. */
	model?: string | string[];
	/** The agent is not opened. */
	block?: boolean;
	reason?: string;
	/** Why this model, for the user. */
	note?: string;
}

/** The events that the extension host emits itself, by name, and what a handler may answer; `void` where nothing. */
export interface HostEvents {
	resources_discover: { event: ResourcesDiscoverEvent; result: ResourcesDiscoverResult };
	session_start: { event: SessionStartEvent; result: void };
	mcp_serve: { event: McpServeEvent; result: void };
	session_before_switch: { event: SessionBeforeSwitchEvent; result: { cancel?: boolean } };
	session_switch: { event: SessionSwitchEvent; result: void };
	session_before_fork: {
		event: SessionBeforeForkEvent;
		result: { cancel?: boolean; skipConversationRestore?: boolean };
	};
	session_before_branch: {
		event: Omit<SessionBeforeForkEvent, "type"> & { type: "session_before_branch" };
		result: { cancel?: boolean; skipConversationRestore?: boolean };
	};
	session_fork: { event: SessionForkEvent; result: void };
	session_branch: { event: SessionForkEvent; result: void };
	session_shutdown: { event: SessionShutdownEvent; result: void };
	session_before_compact: {
		event: SessionBeforeCompactEvent;
		result: { cancel?: boolean; compaction?: NonNullable<CompactionChange["compaction"]> };
	};
	"session.compacting": {
		event: SessionCompactingEvent;
		result: { context?: string[]; prompt?: string; preserveData?: Record<string, unknown> };
	};
	session_compact: { event: SessionCompactEvent; result: void };
	session_compact_failed: { event: SessionCompactFailedEvent; result: void };
	session_stop: { event: SessionStopEvent; result: SessionStopResult };
	session_before_tree: {
		event: SessionBeforeTreeEvent;
		result: {
			cancel?: boolean;
			summary?: { summary: string; details?: unknown };
			customInstructions?: string;
			replaceInstructions?: boolean;
			label?: string;
		};
	};
	session_tree: { event: SessionTreeEvent; result: void };
	context: { event: ContextEvent; result: { messages?: AgentMessage[] } };
	context_with_system: {
		event: ContextWithSystemEvent;
		result: { messages?: (AgentMessage | SystemMessage)[] };
	};
	provider_stream_event: { event: ProviderStreamEvent; result: void };
	credential_disabled: { event: CredentialDisabledEvent; result: void };
	project_trust: { event: ProjectTrustEvent; result: ProjectTrustResult };
	before_provider_request: { event: BeforeProviderRequestEvent; result: unknown };
	before_provider_headers: { event: BeforeProviderHeadersEvent; result: void };
	after_provider_response: { event: AfterProviderResponseEvent; result: void };
	before_agent_start: {
		event: BeforeAgentStartEvent;
		result: { message?: OwnMessage; systemPrompt?: string };
	};
	before_subagent_spawn: { event: BeforeSubagentSpawnEvent; result: BeforeSubagentSpawnResult };
	agent_before_settle: { event: AgentBeforeSettleEvent; result: BoundaryResult };
	agent_settled: { event: AgentSettledEvent; result: void };
	ui_prompt_start: { event: UIPromptEvent<"ui_prompt_start">; result: void };
	ui_prompt_end: { event: UIPromptEvent<"ui_prompt_end">; result: void };
	turn_start: { event: OfType<"turn_start"> & { turnIndex: number; timestamp: number }; result: void };
	turn_end: { event: TurnEndEvent; result: BoundaryResult };
	message_end: { event: OfType<"message_end">; result: { message?: AgentMessage } };
	tool_call: { event: ToolCallEvent; result: ToolCallResult };
	tool_result: {
		event: ToolResultEvent;
		result: Partial<Pick<AgentToolResult, "content" | "details" | "isError" | "structuredContent" | "usage">>;
	};
	model_select: { event: ModelSelectEvent; result: void };
	thinking_level_select: { event: ThinkingLevelSelectEvent; result: void };
	user_bash: { event: UserBashEvent; result: { operations?: BashOperations; result?: BashOutcome } };
	user_python: { event: UserPythonEvent; result: { result?: BashOutcome } };
	input: { event: InputEvent; result: InputEventResult };
}

/** Session events whose handlers cannot answer, as the table in `@tau/wire` marks them for extensions. */
export type PlainEventName = Exclude<SessionEventName, keyof HostEvents>;

type PlainEvents = { [K in PlainEventName]: { event: OfType<K>; result: void } };

/** Every event that an extension can listen to. */
export interface ExtensionEvents extends HostEvents, PlainEvents {}

export type ExtensionEventName = keyof ExtensionEvents;
export type EventOf<K extends ExtensionEventName> = ExtensionEvents[K]["event"];
export type ResultOf<K extends ExtensionEventName> = ExtensionEvents[K]["result"];

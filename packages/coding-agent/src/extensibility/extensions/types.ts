/** What an extension is given: the `pi` object of its factory, and the context of its handlers. The names are pi's and omp's. */
import type { AgentToolResult } from "@tau/agent";
import type {
	Api,
	AssistantMessageEventStream,
	Compat,
	Context,
	ImageContent,
	JsonSchema,
	Model,
	StreamOptions,
	TextContent,
	ThinkingLevel,
	ThinkingLevelMap,
} from "@tau/ai";
import type { AutocompleteItem, Component, Theme } from "@tau/tui";
import type { Logger } from "@tau/utils";
import type * as Zod from "zod";

import type { CompactionResult, CustomMessage, SessionManager } from "../../session/index.ts";
import type { Static, TSchema } from "../typebox/index.ts";
import type { EventOf, ExtensionEventName, OwnMessage, ResultOf } from "./events/types.ts";
import type { ExecOptions, ExecResult } from "./exec.ts";
import type { ModelAccess } from "./model-access.ts";
import type { ExtensionUI } from "./ui/types.ts";

/** Where something comes from. */
export interface SourceInfo {
	path: string;
	/** `builtin`, or what found it. */
	source: string;
	scope: "user" | "project" | "temporary";
	origin: "package" | "top-level";
	baseDir?: string;
}

/** Unknown right after a compaction. */
export interface ExtensionContextUsage {
	tokens: number | null;
	contextWindow: number;
	percent: number | null;
}

export interface CompactOptions {
	customInstructions?: string;
	onComplete?(result: CompactionResult): void;
	onError?(error: Error): void;
}

/** The log of the session, for reading. */
export type ReadonlySessionManager = Pick<
	SessionManager,
	| "getCwd"
	| "getSessionDir"
	| "getSessionId"
	| "getSessionFile"
	| "getSessionName"
	| "getHeader"
	| "getLeafId"
	| "getLeafEntry"
	| "getEntry"
	| "getEntries"
	| "getChildren"
	| "getBranch"
	| "getTree"
	| "getLabel"
	| "isPersisted"
	| "buildSessionContext"
>;

export interface ExtensionContext {
	readonly ui: ExtensionUI;
	/** Whether somebody can answer: not in print mode. */
	readonly hasUI: boolean;
	readonly cwd: string;
	readonly sessionManager: ReadonlySessionManager;
	readonly modelRegistry: ModelAccess;
	readonly model: Model | undefined;
	/** Aborted when the person stops the run; undefined when none is under way. */
	readonly signal: AbortSignal | undefined;
	isIdle(): boolean;
	abort(): void;
	hasPendingMessages(): boolean;
	/** omp's name for the same. */
	hasQueuedMessages(): boolean;
	/** Ends the program as soon as nothing runs; print mode ends by itself. */
	shutdown(): void;
	getContextUsage(): ExtensionContextUsage | undefined;
	/** Begins a compaction and does not wait for it. */
	compact(options?: CompactOptions | string): void;
	getSystemPrompt(): string;
}

export interface Replaced {
	/** An extension said no, or the mode cannot do it. */
	cancelled: boolean;
}

export interface WithSession {
	/** Called in the new session, with a context of its own. */
	withSession?(ctx: ReplacedSessionContext): Promise<void>;
}

export interface NewSessionOptions extends WithSession {
	parentSession?: string;
	setup?(sessionManager: SessionManager): Promise<void> | void;
}

export interface NavigateOptions {
	summarize?: boolean;
	customInstructions?: string;
	replaceInstructions?: boolean;
	label?: string;
}

/** Commands come from the person, when it is safe to exchange the session. */
export interface ExtensionCommandContext extends ExtensionContext {
	waitForIdle(): Promise<void>;
	newSession(options?: NewSessionOptions): Promise<Replaced>;
	switchSession(path: string, options?: WithSession): Promise<Replaced>;
	fork(entryId: string, options?: WithSession & { position?: "before" | "at" }): Promise<Replaced>;
	/** omp's name for `fork`. */
	branch(entryId: string): Promise<Replaced>;
	navigateTree(targetId: string, options?: NavigateOptions): Promise<Replaced>;
	/** What comes behind it still runs in the old instance: better return. */
	reload(): Promise<void>;
}

export interface ReplacedSessionContext extends ExtensionCommandContext {
	sendMessage(message: OwnMessage, options?: SendOptions): Promise<void>;
	sendUserMessage(content: UserContent, options?: { deliverAs?: "steer" | "followUp" }): Promise<void>;
}

export type UserContent = string | (TextContent | ImageContent)[];

export interface SendOptions {
	/** `steer`: after the running tools; `followUp`: when the model would stop; `nextTurn`: with the next prompt. */
	deliverAs?: "steer" | "followUp" | "nextTurn";
	/** Asks the model at once when nothing runs. */
	triggerTurn?: boolean;
}

export type ExtensionHandler<K extends ExtensionEventName> = (
	event: EventOf<K>,
	ctx: ExtensionContext,
) => ResultOf<K> | void | Promise<ResultOf<K> | void>;

type Listeners = {
	[K in ExtensionEventName]: (event: K, handler: ExtensionHandler<K>) => void;
}[ExtensionEventName];

type Every<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer All) => void ? All : never;

/** A signature for each event: what a handler may answer is known while it is written. */
export type Listen = Every<Listeners>;

export type ToolUpdateCallback<D = unknown> = (partial: AgentToolResult<D>) => void;

/** What a tool of an extension gives back; `terminate` ends the run where every result of the answer says so. */
export interface ExtensionToolResult<D = unknown> extends AgentToolResult<D> {
	terminate?: boolean;
}

export interface ToolRenderOptions {
	expanded: boolean;
	isPartial: boolean;
}

/** Of the session in which a tool lives. */
export interface ToolSessionEvent {
	reason: string;
	previousSessionFile?: string | undefined;
}

export interface ToolDefinition<P extends TSchema = TSchema, D = unknown> {
	name: string;
	label?: string;
	description: string;
	/** One line for the list of tools in the system prompt. */
	promptSnippet?: string;
	/** Rules for the system prompt, there while the tool is active. */
	promptGuidelines?: string[];
	/** A JSON schema, as `Type` builds it, or one of Zod. */
	parameters: P;
	/** Whether other calls may run beside it; they may unless it says `sequential`. */
	executionMode?: "sequential" | "parallel";
	/** What it may do to the machine; everything, unless it says otherwise. */
	approval?: "read" | "write" | "exec";
	/** Makes old forms of the arguments new ones, before they are checked. */
	prepareArguments?(args: unknown): Static<P>;
	/** Throw to fail: whatever is returned is a success. */
	execute(
		toolCallId: string,
		params: Static<P>,
		signal: AbortSignal | undefined,
		onUpdate: ToolUpdateCallback<D> | undefined,
		ctx: ExtensionContext,
	): Promise<ExtensionToolResult<D>> | ExtensionToolResult<D>;
	/** omp: told when the session begins, changes and ends. */
	onSession?(event: ToolSessionEvent, ctx: ExtensionContext): void | Promise<void>;
	renderShell?: "default" | "self";
	renderCall?(args: Static<P>, theme: Theme, context: unknown): Component;
	renderResult?(
		result: AgentToolResult<D>,
		options: ToolRenderOptions,
		theme: Theme,
		context: unknown,
	): Component;
}

export interface ToolInfo {
	name: string;
	description: string;
	parameters: JsonSchema;
	sourceInfo: SourceInfo;
}

export interface CommandOptions {
	description?: string;
	getArgumentCompletions?(prefix: string): AutocompleteItem[] | null | Promise<AutocompleteItem[] | null>;
	handler(args: string, ctx: ExtensionCommandContext): Promise<void> | void;
}

/** What can be said with a `/` before it. */
export interface SlashCommandInfo {
	name: string;
	description?: string;
	source: "extension" | "prompt" | "skill";
	sourceInfo: SourceInfo;
}

export interface ShortcutOptions {
	description?: string;
	handler(ctx: ExtensionContext): Promise<void> | void;
}

export interface FlagOptions {
	description?: string;
	type: "boolean" | "string";
	default?: boolean | string;
}

export type MessageRenderer<T = unknown> = (
	message: CustomMessage<T>,
	options: { expanded: boolean },
	theme: Theme,
) => Component | undefined;

export interface ProviderModelConfig {
	id: string;
	name?: string;
	api?: Api;
	baseUrl?: string;
	reasoning?: boolean;
	thinkingLevelMap?: ThinkingLevelMap;
	input?: ("text" | "image")[];
	/** US dollars per million tokens. */
	cost?: Omit<Model["cost"], "total">;
	contextWindow?: number;
	maxTokens?: number;
	headers?: Record<string, string>;
	compat?: Compat;
}

export interface ExtensionProvider {
	name?: string;
	baseUrl?: string;
	/** A key, or the variable that it is in. */
	apiKey?: string;
	api?: Api;
	/** Answers in a way of its own. */
	streamSimple?(model: Model, context: Context, options?: StreamOptions): AssistantMessageEventStream;
	headers?: Record<string, string>;
	authHeader?: boolean;
	/** Take the place of all that the provider has. */
	models?: ProviderModelConfig[];
	/** A login of its own. */
	oauth?: unknown;
}

export interface EventBus {
	emit(channel: string, data: unknown): void;
	/** Gives the way to stop listening. */
	on(channel: string, handler: (data: unknown) => void | Promise<void>): () => void;
}

/** What the factory of an extension is called with. Registering may be done at any time; acting only after the start. */
export interface ExtensionAPI {
	readonly on: Listen;
	registerTool<P extends TSchema, D = unknown>(tool: ToolDefinition<P, D>): void;
	registerCommand(name: string, options: CommandOptions): void;
	registerShortcut(key: string, options: ShortcutOptions): void;
	registerFlag(name: string, options: FlagOptions): void;
	getFlag(name: string): boolean | string | undefined;
	registerMessageRenderer<T = unknown>(customType: string, renderer: MessageRenderer<T>): void;
	registerProvider(name: string, config: ExtensionProvider): void;
	unregisterProvider(name: string): void;

	sendMessage<T = unknown>(message: OwnMessage<T>, options?: SendOptions): void;
	sendUserMessage(content: UserContent, options?: { deliverAs?: "steer" | "followUp" }): void;
	/** Keeps something in the session that no model sees. */
	appendEntry(customType: string, data?: unknown): void;
	setSessionName(name: string): void | Promise<void>;
	getSessionName(): string | undefined;
	/** Marks an entry. With one word (omp): what this extension is called. */
	setLabel(entryIdOrName: string, label?: string | undefined): void;
	exec(command: string, args: string[], options?: ExecOptions): Promise<ExecResult>;
	getActiveTools(): string[];
	getAllTools(): ToolInfo[];
	setActiveTools(names: string[]): void | Promise<void>;
	getCommands(): SlashCommandInfo[];
	/** False where there is no key for it. */
	setModel(model: Model): Promise<boolean>;
	getThinkingLevel(): ThinkingLevel;
	setThinkingLevel(level: ThinkingLevel): void;

	/** Shared by all extensions of a session. */
	readonly events: EventBus;
	readonly logger: Logger;
	/** What `import "typebox"` gives. */
	readonly typebox: Readonly<Record<string, unknown>>;
	readonly zod: typeof Zod;
	/** What `import "@tau/coding-agent"` gives. */
	readonly pi: Readonly<Record<string, unknown>>;
}

export type ExtensionFactory = (pi: ExtensionAPI) => void | Promise<void>;

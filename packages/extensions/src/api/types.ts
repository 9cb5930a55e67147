/** What an extension is given: the `pi` object of its factory, and the context of its handlers. The names are pi's and omp's. */
import type { AgentToolResult, Touch } from "@tau/agent";
import type { ImageContent, JsonSchema, Model, TextContent, ThinkingLevel } from "@tau/ai";
import type { AutocompleteItem, Component, Theme } from "@tau/tui";
import type { Logger } from "@tau/utils";
import type * as Zod from "zod";
import type { CompactionResult } from "@tau/session";
import type { CustomEntry, CustomMessage, SessionManager } from "@tau/log";

import type { Static, TSchema } from "../typebox/index.ts";
import type { MarkdownTransformer, ThinkingRenderer } from "./text-transforms.ts";
import type { WebRenderers } from "./web-renderer.ts";
import type { EphemeralTurnOptions, EphemeralTurnResult } from "./ephemeral-turn.ts";
import type {
	BuildSystemPromptOptions,
	EventOf,
	ExtensionEventName,
	OwnMessage,
	ResultOf,
} from "./event-types.ts";
import type { ExecOptions, ExecResult } from "./exec.ts";
import type { AsyncJobSnapshot } from "./job-snapshot.ts";
import type { FileDeleteFallback, FileWriteFallback } from "./file-fallbacks.ts";
import type { ModelAccess } from "../providers/model-access.ts";
import type { NativeProvider } from "../providers/native-provider.ts";
import type { ServiceTierFamily } from "../providers/service-tiers.ts";
import type {
	RenderHelpers,
	ToolRenderContext,
	ToolRenderer,
	ToolRendererResolver,
} from "./tool-renderer.ts";
import type { RegisteredMcpServer } from "@tau/resources/mcp/definitions";
import type { DeclaredApproval } from "./tool-approval.ts";
import type { NestedCalls, ToolLoadout, ToolLoadoutChanges, ToolReach } from "./tool-reach.ts";
import type { ExtensionUI } from "../ui/types.ts";
import type { ExtensionProvider } from "./provider-types.ts";
import type { ModelRoute, VirtualModelDefinition } from "../providers/virtual-models.ts";
import type { RouteRequest } from "../providers/virtual-routes.ts";
import type { SourceInfo } from "./source-info.ts";

export type { SourceInfo } from "./source-info.ts";

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
	| "getBranchHeads"
	| "getTree"
	| "getLabel"
	| "isPersisted"
	| "buildSessionContext"
	| "buildContextEntries"
	| "buildSessionProjection"
>;

/** `json` is print mode with events. */
export type RunMode = "tui" | "rpc" | "json" | "print";

/** omp's way to query the models. */
export interface ModelQuery {
	/** Those that can be used. */
	list(): Model[];
	current(): Model | undefined;
	/** By `provider/id`, or by a part of the name as `--model` takes it. */
	resolve(spec: string): Model | undefined;
}

export interface ExtensionContext {
	readonly ui: ExtensionUI;
	/** True if a user can answer dialogs; false in print mode. */
	readonly hasUI: boolean;
	/** What the program runs as; only `tui` has a screen for components. */
	readonly mode: RunMode;
	readonly cwd: string;
	readonly sessionManager: ReadonlySessionManager;
	readonly modelRegistry: ModelAccess;
	readonly model: Model | undefined;
	readonly models: ModelQuery;
	/** The models that the setting `enabledModels` allows; empty if it is not set. */
	readonly scopedModels: readonly { model: Model; thinkingLevel?: ThinkingLevel }[];
	readonly thinkingLevel: ThinkingLevel;
	/** Whether code of the project may run. */
	isProjectTrusted(): boolean;
	/** Aborted when the user cancels the run; undefined if no run is active. */
	readonly signal: AbortSignal | undefined;
	isIdle(): boolean;
	abort(): void;
	hasPendingMessages(): boolean;
	/** omp's name for the same. */
	hasQueuedMessages(): boolean;
	/** Ends the program as soon as nothing runs; print mode ends by itself. */
	shutdown(): void;
	getContextUsage(): ExtensionContextUsage | undefined;
	/** Starts a compaction and reports its outcome to the callbacks in the options. The promise resolves at its end. */
	compact(options?: CompactOptions | string): Promise<void>;
	getSystemPrompt(): string;
	/** omp's: timers that end with the session, and whose errors are reported like those of handlers. */
	setTimeout(callback: () => void, ms?: number): NodeJS.Timeout;
	setInterval(callback: () => void, ms?: number): NodeJS.Timeout;
	clearTimer(timer: NodeJS.Timeout): void;
	/** omp's: the kind of this agent; a session of Tau is always one that the user started. */
	readonly agent: { kind: "main"; id: string; name: string; depth: number };
	/** omp's: the background jobs of the model; null if none was ever started. */
	getAsyncJobSnapshot(): AsyncJobSnapshot | null;
	/** omp's: asks the model outside the conversation. The session stores nothing of it, and no tool call is run. */
	runEphemeralTurn(options: EphemeralTurnOptions): Promise<EphemeralTurnResult>;
}

/** What a tool of an extension is run with. */
export interface ExtensionToolContext extends ExtensionContext, NestedCalls {
	/** omp's: runs the built-in tool that this one replaces; undefined if it replaces none. */
	readonly invokeTool:
		| ((
				params: Record<string, unknown>,
				options?: { signal?: AbortSignal; onUpdate?: ToolUpdateCallback },
		  ) => Promise<AgentToolResult>)
		| undefined;
	/** omp's: text of the extension that the model reads with the result. */
	addAdditionalContext(context: string): void;
}

export interface Replaced {
	/** True if an extension cancelled it or the mode does not support it. */
	cancelled: boolean;
}

export interface WithSession {
	/** Called in the new session, with its own context. */
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

/** The context of commands, which the user starts at a time when the session can safely be replaced. */
export interface ExtensionCommandContext extends ExtensionContext {
	/** What the system prompt is made of. */
	getSystemPromptOptions(): BuildSystemPromptOptions;
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
	/**
	 * `steer`: after the running tools; `followUp`: when the model would stop; `nextTurn`: with the next prompt; `aside`
	 * (omp): like `steer`, and at once when nothing runs.
	 */
	deliverAs?: "steer" | "followUp" | "nextTurn" | "aside";
	/** Asks the model at once when nothing runs. */
	triggerTurn?: boolean;
}

export type ExtensionHandler<K extends ExtensionEventName> = (
	event: EventOf<K>,
	ctx: ExtensionContext,
) => ResultOf<K> | void | Promise<ResultOf<K> | void>;

type Listeners = {
	[K in ExtensionEventName]: (event: K, handler: ExtensionHandler<K>) => () => void;
}[ExtensionEventName];

type Every<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer All) => void ? All : never;

/** A signature for each event: what a handler may answer is known while it is written. Gives the way to stop listening. */
export type Listen = Every<Listeners>;

export type ToolUpdateCallback<D = unknown> = (partial: AgentToolResult<D>) => void;

/** The result of an extension's tool; `terminate` ends the run if every result of the answer sets it. */
export interface ExtensionToolResult<D = unknown> extends AgentToolResult<D> {
	terminate?: boolean;
}

export interface ToolRenderOptions {
	expanded: boolean;
	isPartial: boolean;
}

/** What happens to the session of a tool: the reason, and the data of the event of that name. */
export interface ToolSessionEvent {
	reason: string;
	previousSessionFile?: string | undefined;
	[data: string]: unknown;
}

/** What a schema lets through, be it one of `Type` or one of Zod. */
/** Schemas of `@sinclair/typebox` carry their type as `static`; those of `typebox` are computed. */
export type ParamsOf<P> = P extends Zod.ZodType
	? Zod.output<P>
	: P extends { static: infer Params }
		? Params
		: P extends TSchema
			? Static<P>
			: never;

export interface ToolDefinition<P extends TSchema | Zod.ZodType = TSchema, D = unknown> extends ToolReach {
	name: string;
	label?: string;
	description: string;
	/** One line for the list of tools in the system prompt. */
	promptSnippet?: string;
	/** Rules for the system prompt, there while the tool is active. */
	promptGuidelines?: string[];
	/** A JSON schema, as `Type` builds it, or one of Zod. */
	parameters: P;
	/** Whether other calls may run in parallel; they may unless it is `sequential`. */
	executionMode?: "sequential" | "parallel";
	/** False: the tool is inactive until `setActiveTools` or the user enables it. omp has `defaultInactive: true`. */
	defaultActive?: boolean;
	defaultInactive?: boolean;
	/** Whether the provider makes the model keep to the schema, where it can (omp's). */
	strict?: boolean;
	/** pi's name for it: `json_schema` is strict; grammars have no effect. */
	constrainedSampling?: false | { type: "json_schema" | "grammar" };
	/** Changes what the model sees of all tools while this one is active; called for each request. */
	prepareLoadout?(loadout: ToolLoadout): ToolLoadoutChanges | undefined;
	/** omp's: not offered to the model, as with `defaultActive: false`. */
	hidden?: boolean;
	/** The tool's permissions on the machine, or those of one call; all of them if absent. */
	approval?: DeclaredApproval;
	/** What an approval shows beside the arguments (omp's). */
	formatApprovalDetails?(args: Record<string, unknown>): string | string[] | undefined;
	/** What a call would touch, with absolute paths: shown to approvals, file lists and rules. */
	touches?(params: Record<string, unknown>): readonly Touch[];
	/** Makes old forms of the arguments new ones, before they are checked. */
	prepareArguments?(args: unknown): ParamsOf<P>;
	/** Throw to fail, or return `isError: true`. */
	execute(
		toolCallId: string,
		params: ParamsOf<P>,
		signal: AbortSignal | undefined,
		onUpdate: ToolUpdateCallback<D> | undefined,
		ctx: ExtensionToolContext,
	): Promise<ExtensionToolResult<D>> | ExtensionToolResult<D>;
	/** omp's: called when the session starts, changes and ends. */
	onSession?(event: ToolSessionEvent, ctx: ExtensionContext): void | Promise<void>;
	renderShell?: "default" | "self";
	renderCall?(args: ParamsOf<P>, theme: Theme, context: ToolRenderContext): Component;
	renderResult?(
		result: AgentToolResult<D>,
		options: ToolRenderOptions,
		theme: Theme,
		context: ToolRenderContext,
	): Component;
}

export interface ToolInfo extends ToolReach {
	name: string;
	description: string;
	parameters: JsonSchema;
	sourceInfo: SourceInfo;
	/** It draws its results itself. */
	rendersResult?: true;
}

export interface CommandOptions {
	description?: string;
	getArgumentCompletions?(prefix: string): AutocompleteItem[] | null | Promise<AutocompleteItem[] | null>;
	handler(args: string, ctx: ExtensionCommandContext): Promise<void> | void;
}

/** A command that can be typed after `/`. */
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

type Renderer<T> = (
	shown: T,
	options: { expanded: boolean } & RenderHelpers,
	theme: Theme,
) => Component | undefined;
export type MessageRenderer<T = unknown> = Renderer<CustomMessage<T>>;
export type EntryRenderer<T = unknown> = Renderer<CustomEntry<T>>;

export interface EventBus {
	emit(channel: string, data: unknown): void;
	/** Gives the way to stop listening. */
	on(channel: string, handler: (data: unknown) => void | Promise<void>): () => void;
}

/** What the factory of an extension is called with. Registering may be done at any time; acting only after the start. */
export interface ExtensionAPI {
	readonly on: Listen;
	registerTool<P extends TSchema | Zod.ZodType, D = unknown>(tool: ToolDefinition<P, D>): void;
	registerCommand(name: string, options: CommandOptions): void;
	registerShortcut(key: string, options: ShortcutOptions): void;
	registerFlag(name: string, options: FlagOptions): void;
	getFlag(name: string): boolean | string | undefined;
	registerMessageRenderer<T = unknown>(customType: string, renderer: MessageRenderer<T>): void;
	/** Draws the calls of these tools, or of all, unless they have their own renderer. Their behavior is unchanged. */
	registerToolRenderer(names: readonly string[] | "*", renderer: ToolRenderer): void;
	/** pi's way: returns the renderer for each tool. */
	registerToolRenderer(resolver: ToolRendererResolver): void;
	/** Draws what `appendEntry` keeps under this name; without one it is not seen. */
	registerEntryRenderer<T = unknown>(customType: string, renderer: EntryRenderer<T>): void;
	/** Transforms user text, answers and thinking before they are drawn; sessions and models get the originals. */
	registerMarkdownTransformer(transformer: MarkdownTransformer): void;
	/** What pages show, which cannot show components of terminals. Tau's own. */
	readonly web: WebRenderers;
	/** omp's: draws something below thinking that is shown. */
	registerAssistantThinkingRenderer(renderer: ThinkingRenderer): void;
	/** omp's: writes a file where Tau's tools may not; true means that it was written. Registered while loading. */
	registerFileWriteFallback(handler: FileWriteFallback): void;
	/** omp's: the same for a file that is deleted. */
	registerFileDeleteFallback(handler: FileDeleteFallback): void;
	/** By name, or (newer versions of pi) a provider that knows everything by itself. */
	registerProvider(name: string | NativeProvider, config?: ExtensionProvider): void;
	unregisterProvider(name: string): void;
	/** An MCP server of this session, as an entry of `mcpServers` in `mcp.json`; one of a file with its name wins. */
	registerMcpServer(name: string, config: Record<string, unknown>): void;
	/** Ends a server that this extension has registered. */
	unregisterMcpServer(name: string): void;
	/** Those that extensions have registered. */
	getMcpServers(): RegisteredMcpServer[];
	/** A model that can be chosen, and that sends each request to one that answers it. */
	registerVirtualModel<S = unknown>(model: ExtensionVirtualModel<S>): void;
	unregisterVirtualModel(provider: string, id: string): void;

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
	/** A copy of the settings that count, in groups as in config.yml. */
	getSettings(): Record<string, unknown>;
	/** A call in one clean line, as its tool describes it: `bash $ npm test`. */
	describeToolCall(toolName: string, args: Record<string, unknown>): string;
	/** The current value of the setting at this path; undefined if there is no such setting. */
	getSetting(path: string): unknown;
	/** False where there is no key for it. */
	setModel(model: Model): Promise<boolean>;
	getThinkingLevel(): ThinkingLevel;
	setThinkingLevel(level: ThinkingLevel): void;
	/** omp's: what was asked for of the servers of models, by family. */
	getServiceTiers(): Readonly<Partial<Record<ServiceTierFamily, string>>>;
	/** Applies from the next request on; without a tier the server decides. It is not stored. */
	setServiceTier(family: ServiceTierFamily, tier: string | undefined): void;

	/** Shared by all extensions of a session. */
	readonly events: EventBus;
	readonly logger: Logger;
	/** What `import "typebox"` gives. */
	readonly typebox: Readonly<Record<string, unknown>>;
	readonly zod: typeof Zod;
	/** What `import "@tau/coding-agent"` gives. */
	readonly pi: Readonly<Record<string, unknown>>;
}

export interface ExtensionVirtualModel<S = unknown> extends Omit<VirtualModelDefinition<S>, "route"> {
	route(request: RouteRequest<S>, ctx: ExtensionContext): ModelRoute<S> | Promise<ModelRoute<S>>;
}

export type ExtensionFactory = (pi: ExtensionAPI) => void | Promise<void>;

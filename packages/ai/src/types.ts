/** The types of @tau/ai: messages, models, contexts and the events of a streamed answer. */

/** Wire protocols that Tau implements itself. */
export const wireApis = [
	"anthropic-messages",
	"openai-completions",
	"openai-responses",
	"openai-codex-responses",
	"azure-openai-responses",
	"google-generative-ai",
	"google-vertex",
	"google-gemini-cli",
	"bedrock-converse-stream",
	"ollama-chat",
	"tau-gateway",
] as const;

/** A built-in protocol, or any protocol that an extension registers. */
export type Api = (typeof wireApis)[number] | (string & {});

export const thinkingLevels = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type ThinkingLevel = (typeof thinkingLevels)[number];

export interface TextContent {
	type: "text";
	text: string;
	textSignature?: string;
}

export interface ThinkingContent {
	type: "thinking";
	thinking: string;
	thinkingSignature?: string;
	/** The provider hid the text; the signature contains the opaque payload to send back. */
	redacted?: boolean;
}

/** An image, a document of a type that vendors read themselves (`application/pdf`), or audio (`audio/wav`). */
export interface ImageContent {
	type: "image";
	/** Base64, without a data URL prefix. */
	data: string;
	mimeType: string;
	/** The resolution that is requested, for protocols that have a word for it; absent means `auto`. */
	detail?: string;
}

export interface ToolCall {
	type: "toolCall";
	id: string;
	name: string;
	arguments: Record<string, unknown>;
	thoughtSignature?: string;
	/** Why the arguments could not be read completely; the readable part is in `arguments`. */
	malformed?: string;
}

export interface Cost {
	input: number;
	output: number;
	cacheRead: number;
	cacheWrite: number;
	total: number;
}

/** US dollars per million tokens. */
export type Prices = Omit<Cost, "total">;

/** The prices of a request whose input, cached or not, has more tokens than this. */
export interface PriceTier extends Prices {
	inputTokensAbove: number;
}

export interface Usage {
	input: number;
	output: number;
	cacheRead: number;
	cacheWrite: number;
	totalTokens: number;
	cost: Cost;
}

export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

export type FailureKind =
	| "rate_limit"
	| "overloaded"
	| "auth"
	| "overflow"
	| "network"
	| "timeout"
	| "refusal"
	| "invalid_request"
	/** The conversation holds content that the provider has encrypted for another account. */
	| "foreign_content"
	/** The model's answer cannot be used: an unreadable tool call, or nothing at all. Another try may be better. */
	| "invalid_response"
	/** The model reached its output limit before it wrote anything. */
	| "output_limit"
	| "unknown";

/** Why a model's answer failed. All callers decide by `kind`, never by the text. */
export interface Failure {
	kind: FailureKind;
	/** One line for the user. */
	message: string;
	status?: number;
	retryAfterMs?: number;
}

/** Present when a note has taken the place of content, or when content that was gone is back. */
export interface Elided {
	/** What that saves, by estimate; negative for content that is back and that the provider has not counted. */
	tokens: number;
	at: number;
	/** The user dropped it from the context. */
	byUser?: boolean;
}

export interface UserMessage {
	role: "user";
	content: string | (TextContent | ImageContent)[];
	/** The user's own text, if a name in it was replaced by its expansion. Models never see it. */
	called?: string;
	/** Start and end of each long paste in the user's own text. Models never see it. */
	pastes?: [number, number][];
	/** Who wrote it, if that was not the owner of the session. Models never see it. */
	by?: string;
	/** Sent before the content to the provider that made them. */
	items?: ProviderItems;
	elided?: Elided;
	timestamp: number;
}

/** What a provider has made of an earlier part of the conversation, in its own form; no other can read it. */
export interface ProviderItems {
	provider: string;
	items: Record<string, unknown>[];
}

export type AssistantContent = TextContent | ThinkingContent | ToolCall;

export interface AssistantMessage {
	role: "assistant";
	content: AssistantContent[];
	api: Api;
	provider: string;
	model: string;
	responseId?: string;
	/** The model that answered, if the provider chose another one than requested. */
	responseModel?: string;
	/** The level that the agent asked for; absent outside its loop. */
	thinkingLevel?: ThinkingLevel;
	usage: Usage;
	stopReason: StopReason;
	/** The provider's own word for it. */
	rawStopReason?: string;
	errorMessage?: string;
	failure?: Failure;
	/** What the server has made of the conversation, if it was asked to compact it. */
	compacted?: ProviderItems;
	elided?: Elided;
	timestamp: number;
	/** From the request to the end of the answer. */
	durationMs?: number;
	/** From the request to its first piece of content. */
	ttftMs?: number;
}

export interface ToolResultMessage<TDetails = unknown> {
	role: "toolResult";
	toolCallId: string;
	toolName: string;
	content: (TextContent | ImageContent)[];
	details?: TDetails;
	/** What models cost that the tool asked itself. */
	usage?: Usage;
	isError: boolean;
	/** Present when the call ran with other arguments than the model wrote: who changed them, and what ran. */
	rewritten?: { by: readonly string[]; arguments: Readonly<Record<string, unknown>> };
	/** The tool has marked it as saying nothing that the model needs again. */
	useless?: boolean;
	/** The tools that the model can call since this result. */
	foundTools?: string[];
	elided?: Elided;
	timestamp: number;
	/** How long the tool ran; absent if it did not. */
	durationMs?: number;
}

export type Message = UserMessage | AssistantMessage | ToolResultMessage;

export type JsonSchema = Record<string, unknown>;

/** A tool as a model sees it. */
export interface Tool {
	name: string;
	description: string;
	parameters: JsonSchema;
	/** Whether the provider makes the model keep to the schema, where it can; absent: as the provider's row says. */
	strict?: boolean;
}

export interface Context {
	systemPrompt?: string;
	messages: Message[];
	tools?: Tool[];
}

/**
 * The differences between providers or models of the same protocol. Named flags with tests; code never compares a
 * provider's or model's name. The names are pi's, because `models.yml` and extensions use them.
 */
export interface Compat {
	// Chat Completions.
	supportsStore?: boolean;
	supportsDeveloperRole?: boolean;
	supportsReasoningEffort?: boolean;
	supportsUsageInStreaming?: boolean;
	supportsStrictMode?: boolean;
	maxTokensField?: "max_completion_tokens" | "max_tokens";
	/** Every request limits the answer to the model's `maxTokens`, also where the protocol does not require it. */
	sendMaxTokens?: boolean;
	requiresToolResultName?: boolean;
	/** Ids of tool calls must have exactly nine letters and digits. */
	requiresMistralToolIds?: boolean;
	requiresAssistantAfterToolResult?: boolean;
	requiresThinkingAsText?: boolean;
	/** Replayed answers need `reasoning_content` while tools are being used. */
	requiresReasoningContentOnAssistantMessages?: boolean;
	/** How thinking is requested. */
	thinkingFormat?: "openai" | "openrouter" | "deepseek" | "together" | "zai" | "qwen" | "qwen-chat-template";
	cacheControlFormat?: "anthropic";
	zaiToolStream?: boolean;
	openRouterRouting?: { only?: string[]; order?: string[] };
	vercelGatewayRouting?: { only?: string[]; order?: string[] };
	// Anthropic Messages.
	/** Thinking is `adaptive` with an effort, not a budget of tokens. */
	forceAdaptiveThinking?: boolean;
	supportsEagerToolInputStreaming?: boolean;
	supportsCacheControlOnTools?: boolean;
	/** Results may declare tools (`tool_reference`); absent: on Anthropic's own servers. */
	supportsToolReferences?: boolean;
	/** Thinking blocks without a signature are accepted back. */
	allowEmptySignature?: boolean;
	supportsTemperature?: boolean;
	// Several protocols.
	supportsLongCacheRetention?: boolean;
	/** The server accepts a websocket instead of requests, where the protocol has that. */
	supportsWebsocket?: boolean;
	/** The server compacts a conversation itself when it is asked to (`StreamOptions.compaction`). */
	supportsCompaction?: boolean;
	sendSessionAffinityHeaders?: boolean;
	sendSessionIdHeader?: boolean;
	/** Requests state whether a user or the agent initiated them, and whether they contain images. */
	sendInitiatorHeaders?: boolean;
	/** Several calls in one answer may be requested. */
	parallelTools?: boolean;
	/** The edit format that the model was trained on. */
	editForm?: "hashline" | "replace" | "apply_patch";
	extraBody?: Record<string, unknown>;
}

/** The name of a level on the wire; `null` means that the model does not have it. */
export type ThinkingLevelMap = Partial<Record<ThinkingLevel, string | null>>;

/** The key of a model's own stream. Copies of the model keep it; JSON does not show it. */
export const ownStream: unique symbol = Symbol("own stream");

export interface Model {
	/** Answers for this model instead of the protocol of its `api`; it belongs to one session's registry. */
	[ownStream]?: StreamFunction;
	id: string;
	name: string;
	api: Api;
	provider: string;
	baseUrl: string;
	reasoning: boolean;
	thinkingLevelMap?: ThinkingLevelMap;
	input: ("text" | "image" | "audio")[];
	cost: Prices & { tiers?: readonly PriceTier[] };
	contextWindow: number;
	maxTokens: number;
	headers?: Record<string, string>;
	compat?: Compat;
	/** The model to continue with when this one's context is full: `provider/id`, or an id of the same provider. */
	contextPromotionTarget?: string;
}

export type ToolChoice = "auto" | "none" | "required" | { name: string };

/** How long a provider keeps the prefix of a conversation: not at all, minutes, or an hour and more. */
export type CacheRetention = "none" | "short" | "long";

/** When a request goes over a websocket: where the provider is known to have one, where the protocol has one, never. */
export type WebSocketUse = "auto" | "on" | "off";

/** What a protocol leaves open between the requests of one conversation. Whoever creates it disposes of `open`. */
export interface KeptConnection {
	readonly websocket: WebSocketUse;
	open?: Disposable | undefined;
}

/** Takes the place of `fetch` for one request: records what passes, or answers from a recording. */
export interface Sender {
	send(url: string, init: BunFetchRequestInit): Promise<Response>;
	/** Nothing leaves the machine: neither credentials nor a way to the server are looked for. */
	readonly isOffline: boolean;
}

export interface StreamOptions {
	signal?: AbortSignal;
	apiKey?: string;
	maxTokens?: number;
	temperature?: number;
	reasoning?: ThinkingLevel;
	/** Tokens for thinking at a level, for protocols that count them. */
	thinkingBudgets?: Partial<Record<ThinkingLevel, number>>;
	toolChoice?: ToolChoice;
	cacheRetention?: CacheRetention;
	serviceTier?: string;
	headers?: Record<string, string>;
	/** Groups the requests of one conversation, for caches and routing. */
	sessionId?: string;
	metadata?: Record<string, unknown>;
	/** Of the conversation; without one each request has a connection of its own. */
	connection?: KeptConnection;
	/** Sends the request in place of the network's `fetch`; then no websocket is used. */
	sender?: Sender;
	/** The server is asked to compact the conversation instead of continuing it; see `Compat.supportsCompaction`. */
	compaction?: boolean;
	/** The server is read no faster than the answer is: for a reader that passes it on. Without it, a slow reader gets longer deltas. */
	waitsForReader?: true;
	/** Pieces of an answer that comes slowly are gathered for some milliseconds: for a reader who looks at it. */
	isWatched?: true;
	/** Receives the body before it is sent; a returned value is sent instead. */
	onPayload?(payload: unknown, model: Model): unknown;
	/** Called when the response's head has arrived, before its body is read. */
	onResponse?(response: { status: number; headers: Record<string, string> }, model: Model): void;
	/** Receives each event of the server before it is decoded, in order; its result is not awaited. */
	onProviderStreamEvent?(event: unknown, model: Model): void;
}

/**
 * The events of one answer: `start`, then blocks (`*_start`, `*_delta`…, `*_end`), then exactly one `done` or
 * `error`. `partial` is the message under construction: one object that grows, shared by all events of a stream.
 */
export type AssistantMessageEvent =
	| { type: "start"; partial: AssistantMessage }
	| { type: "text_start"; contentIndex: number; partial: AssistantMessage }
	| { type: "text_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
	| { type: "text_end"; contentIndex: number; content: string; partial: AssistantMessage }
	| { type: "thinking_start"; contentIndex: number; partial: AssistantMessage }
	| { type: "thinking_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
	| { type: "thinking_end"; contentIndex: number; content: string; partial: AssistantMessage }
	| { type: "toolcall_start"; contentIndex: number; partial: AssistantMessage }
	| { type: "toolcall_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
	| { type: "toolcall_end"; contentIndex: number; toolCall: ToolCall; partial: AssistantMessage }
	| { type: "done"; reason: Extract<StopReason, "stop" | "length" | "toolUse">; message: AssistantMessage }
	| { type: "error"; reason: Extract<StopReason, "error" | "aborted">; error: AssistantMessage };

/** Answers a context. Never throws: a failure is the stream's last event. */
export interface StreamFunction {
	(model: Model, context: Context, options?: StreamOptions): AssistantMessageEventStream;
	/** What answers for this model, if that depends on it: who calls it directly has one function less in between. */
	for?(model: Model): StreamFunction;
}

export interface AssistantMessageEventStream extends AsyncIterable<AssistantMessageEvent> {
	/** The final message, also when the stream ended in an error. Never rejects. */
	result(): Promise<AssistantMessage>;
}

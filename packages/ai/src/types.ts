/** The vocabulary of the models: messages, models, contexts and the events of a streamed answer. */

/** Wire protocols that Tau speaks itself, plus whatever an extension registers. */
export type Api = "anthropic-messages" | "openai-completions" | (string & {});

export const thinkingLevels = ["off", "minimal", "low", "medium", "high", "xhigh"] as const;
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
	/** The provider hid the text; the signature holds the opaque payload to send back. */
	redacted?: boolean;
}

export interface ImageContent {
	type: "image";
	/** base64, without a data URL prefix */
	data: string;
	mimeType: string;
}

export interface ToolCall {
	type: "toolCall";
	id: string;
	name: string;
	arguments: Record<string, unknown>;
	thoughtSignature?: string;
	/** Why the arguments could not be read whole; what could be read is in `arguments`. */
	malformed?: string;
}

export interface Cost {
	input: number;
	output: number;
	cacheRead: number;
	cacheWrite: number;
	total: number;
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
	| "unknown";

/** Why a model's answer ended badly. Everything above decides by `kind`, never by the text. */
export interface Failure {
	kind: FailureKind;
	/** One line for a person. */
	message: string;
	status?: number;
	retryAfterMs?: number;
}

export interface UserMessage {
	role: "user";
	content: string | (TextContent | ImageContent)[];
	timestamp: number;
}

export type AssistantContent = TextContent | ThinkingContent | ToolCall;

export interface AssistantMessage {
	role: "assistant";
	content: AssistantContent[];
	api: Api;
	provider: string;
	model: string;
	responseId?: string;
	usage: Usage;
	stopReason: StopReason;
	errorMessage?: string;
	failure?: Failure;
	timestamp: number;
}

export interface ToolResultMessage<TDetails = unknown> {
	role: "toolResult";
	toolCallId: string;
	toolName: string;
	content: (TextContent | ImageContent)[];
	details?: TDetails;
	isError: boolean;
	timestamp: number;
}

export type Message = UserMessage | AssistantMessage | ToolResultMessage;

export type JsonSchema = Record<string, unknown>;

/** A tool as a model sees it. */
export interface Tool {
	name: string;
	description: string;
	parameters: JsonSchema;
}

export interface Context {
	systemPrompt?: string;
	messages: Message[];
	tools?: Tool[];
}

export interface Compat {
	supportsStore?: boolean;
	supportsDeveloperRole?: boolean;
	supportsReasoningEffort?: boolean;
	supportsUsageInStreaming?: boolean;
	maxTokensField?: "max_completion_tokens" | "max_tokens";
	openRouterRouting?: { only?: string[]; order?: string[] };
	vercelGatewayRouting?: { only?: string[]; order?: string[] };
	extraBody?: Record<string, unknown>;
}

export interface Model {
	id: string;
	name: string;
	api: Api;
	provider: string;
	baseUrl: string;
	reasoning: boolean;
	input: ("text" | "image")[];
	/** US dollars per million tokens */
	cost: Omit<Cost, "total">;
	contextWindow: number;
	maxTokens: number;
	headers?: Record<string, string>;
	compat?: Compat;
}

export interface StreamOptions {
	signal?: AbortSignal;
	apiKey?: string;
	maxTokens?: number;
	temperature?: number;
	reasoning?: ThinkingLevel;
	headers?: Record<string, string>;
	sessionId?: string;
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

/** Answers a context. Never throws: what goes wrong is the stream's last event. */
export type StreamFunction = (
	model: Model,
	context: Context,
	options?: StreamOptions,
) => AssistantMessageEventStream;

export interface AssistantMessageEventStream extends AsyncIterable<AssistantMessageEvent> {
	/** The final message, also when the stream ended in an error. Never rejects. */
	result(): Promise<AssistantMessage>;
}

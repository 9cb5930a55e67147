/** The vocabulary of the loop: tools that can be run, messages of an application, events of a run. */
import type {
	AssistantMessage,
	AssistantMessageEvent,
	ImageContent,
	Message,
	Model,
	StreamFunction,
	StreamOptions,
	TextContent,
	Tool,
	ToolResultMessage,
} from "@tau/ai";

/** Applications add their own messages by declaration merging. */
export interface CustomMessages {}

export type AgentMessage = Message | CustomMessages[keyof CustomMessages];

/** What a tool gives back: `content` for the model, `details` for whoever shows it. */
export interface AgentToolResult<TDetails = unknown> {
	content: (TextContent | ImageContent)[];
	details?: TDetails;
	isError?: boolean;
	/** The result says nothing that the model will need again; maintenance may drop it first. */
	useless?: boolean;
}

export type ToolUpdate<TDetails = unknown> = (partial: AgentToolResult<TDetails>) => void;

export type Validated = { ok: true; value: Record<string, unknown> } | { ok: false; reason: string };

/** A tool that the loop can run. */
export interface AgentTool extends Tool {
	label: string;
	/** `shared` tools of one answer run side by side; an `exclusive` one runs alone. */
	concurrency: "shared" | "exclusive";
	validate(input: Record<string, unknown>): Validated;
	execute(
		toolCallId: string,
		params: Record<string, unknown>,
		signal: AbortSignal,
		onUpdate: ToolUpdate,
	): Promise<AgentToolResult>;
}

export interface AgentContext {
	systemPrompt: string;
	messages: AgentMessage[];
	tools: AgentTool[];
}

export interface AgentLoopConfig extends Omit<StreamOptions, "signal" | "apiKey"> {
	model: Model;
	/** Turns the application's messages into what a model reads. */
	convertToLlm(messages: readonly AgentMessage[]): Message[];
	/** Asked before each request, because short-lived keys expire while tools run. */
	getApiKey(provider: string): Promise<string | undefined> | string | undefined;
	stream: StreamFunction;
}

export type AgentEvent =
	| { type: "agent_start" }
	| { type: "agent_end"; messages: AgentMessage[] }
	| { type: "turn_start" }
	| { type: "turn_end"; message: AssistantMessage; toolResults: ToolResultMessage[] }
	| { type: "message_start"; message: AgentMessage }
	| { type: "message_update"; message: AssistantMessage; assistantMessageEvent: AssistantMessageEvent }
	| { type: "message_end"; message: AgentMessage }
	| { type: "tool_execution_start"; toolCallId: string; toolName: string; args: Record<string, unknown> }
	| {
			type: "tool_execution_update";
			toolCallId: string;
			toolName: string;
			args: Record<string, unknown>;
			partialResult: AgentToolResult;
	  }
	| {
			type: "tool_execution_end";
			toolCallId: string;
			toolName: string;
			result: AgentToolResult;
			isError: boolean;
	  };

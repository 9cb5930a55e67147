/** pi's names for the loop, where they differ from Tau's. */
import type { AgentEvent, AgentMessage, AgentToolResult } from "@tau/agent";
import type {
	AssistantMessage,
	AssistantMessageEventStream,
	Context,
	Message,
	Model,
	StreamOptions,
	ThinkingLevel,
	Tool,
	ToolCall,
	ToolResultMessage,
} from "@tau/ai";

export type StreamFn = (
	model: Model,
	context: Context,
	options?: StreamOptions,
) => AssistantMessageEventStream | Promise<AssistantMessageEventStream>;

export interface PiResult extends AgentToolResult {
	/** The run ends here where all calls of an answer say so. */
	terminate?: boolean;
}

export interface PiTool extends Tool {
	label?: string;
	prepareArguments?(args: unknown): unknown;
	execute(
		toolCallId: string,
		params: Record<string, unknown>,
		signal?: AbortSignal,
		onUpdate?: (partial: AgentToolResult) => void,
	): Promise<PiResult> | PiResult;
	executionMode?: "sequential" | "parallel";
}

export interface PiContext {
	systemPrompt?: string;
	messages: AgentMessage[];
	tools?: PiTool[];
}

interface CallFacts {
	assistantMessage: AssistantMessage;
	toolCall: ToolCall;
	args: unknown;
	context: PiContext;
}

interface TurnFacts {
	message: AssistantMessage;
	toolResults: ToolResultMessage[];
	context: PiContext;
	newMessages: AgentMessage[];
}

interface TurnUpdate {
	context?: PiContext;
	model?: Model;
	thinkingLevel?: ThinkingLevel;
}

type Maybe<T> = T | undefined | Promise<T | undefined>;

/** Request options may be given besides the named fields. */
export interface PiLoopConfig extends Omit<StreamOptions, "signal"> {
	model: Model;
	convertToLlm?(messages: AgentMessage[]): Message[] | Promise<Message[]>;
	transformContext?(messages: AgentMessage[], signal?: AbortSignal): AgentMessage[] | Promise<AgentMessage[]>;
	getApiKey?(provider: string): Maybe<string>;
	shouldStopAfterTurn?(turn: TurnFacts): boolean | Promise<boolean>;
	prepareNextTurn?(turn: TurnFacts): Maybe<TurnUpdate>;
	getSteeringMessages?(): Promise<AgentMessage[]> | AgentMessage[];
	getFollowUpMessages?(): Promise<AgentMessage[]> | AgentMessage[];
	toolExecution?: "sequential" | "parallel";
	beforeToolCall?(call: CallFacts, signal?: AbortSignal): Maybe<{ block?: boolean; reason?: string }>;
	afterToolCall?(
		call: CallFacts & { result: AgentToolResult; isError: boolean },
		signal?: AbortSignal,
	): Maybe<Partial<PiResult>>;
}

export type EventSink = (event: AgentEvent) => Promise<void> | void;

/** pi's agent: a conversation with a state that may be written to, events, and two queues of messages. */
import { MessageQueue, type AgentEvent, type AgentMessage, type QueueMode } from "@tau/agent";
import type { ImageContent, Model, StreamOptions, ThinkingLevel } from "@tau/ai";

import { runAgentLoop } from "./loop.ts";
import type { PiLoopConfig, PiTool, StreamFn } from "./types.ts";

type Listener = (event: AgentEvent, signal: AbortSignal) => Promise<void> | void;

type Hooks = Pick<
	PiLoopConfig,
	"convertToLlm" | "transformContext" | "getApiKey" | "beforeToolCall" | "afterToolCall" | "toolExecution"
> &
	Pick<StreamOptions, "onPayload" | "onResponse" | "sessionId" | "thinkingBudgets">;

export interface AgentOptions extends Hooks {
	initialState?: Partial<Pick<AgentState, "systemPrompt" | "model" | "thinkingLevel" | "tools" | "messages">>;
	streamFn?: StreamFn;
	prepareNextTurn?(signal?: AbortSignal): ReturnType<NonNullable<PiLoopConfig["prepareNextTurn"]>>;
	steeringMode?: QueueMode;
	followUpMode?: QueueMode;
}

/** Arrays are copied when they are written, and grow in place after that. */
class AgentState {
	systemPrompt = "";
	model: Model | undefined;
	thinkingLevel: ThinkingLevel = "off";
	isStreaming = false;
	streamingMessage: AgentMessage | undefined;
	pendingToolCalls: ReadonlySet<string> = new Set();
	errorMessage: string | undefined;
	#tools: PiTool[] = [];
	#messages: AgentMessage[] = [];

	get tools(): PiTool[] {
		return this.#tools;
	}

	set tools(tools: readonly PiTool[]) {
		this.#tools = [...tools];
	}

	get messages(): AgentMessage[] {
		return this.#messages;
	}

	set messages(messages: readonly AgentMessage[]) {
		this.#messages = [...messages];
	}
}

/** Omp's name for what a second prompt is answered with. */
export class AgentBusyError extends Error {
	constructor(message = "Agent is already processing a prompt. Use steer() or followUp(), or wait.") {
		super(message);
		this.name = "AgentBusyError";
	}
}

export class Agent {
	readonly state = new AgentState();
	readonly #listeners = new Set<Listener>();
	readonly #steering: MessageQueue;
	readonly #followUps: MessageQueue;
	#running: { controller: AbortController; ended: Promise<void> } | undefined;
	/** What requests and calls are made with: may be written, and is read at the beginning of each run. */
	streamFn: StreamFn | undefined;
	convertToLlm: Hooks["convertToLlm"] | undefined;
	transformContext: Hooks["transformContext"] | undefined;
	getApiKey: Hooks["getApiKey"] | undefined;
	beforeToolCall: Hooks["beforeToolCall"] | undefined;
	afterToolCall: Hooks["afterToolCall"] | undefined;
	toolExecution: Hooks["toolExecution"] | undefined;
	onPayload: Hooks["onPayload"] | undefined;
	onResponse: Hooks["onResponse"] | undefined;
	sessionId: string | undefined;
	thinkingBudgets: Hooks["thinkingBudgets"] | undefined;
	prepareNextTurn: AgentOptions["prepareNextTurn"] | undefined;

	constructor(options: AgentOptions = {}) {
		const { initialState, steeringMode, followUpMode, ...writable } = options;
		Object.assign(this.state, initialState);
		Object.assign(this, writable);
		this.#steering = new MessageQueue(steeringMode ?? "one-at-a-time");
		this.#followUps = new MessageQueue(followUpMode ?? "one-at-a-time");
	}

	/** Listeners are waited for, in order. Gives the way to stop listening. */
	subscribe(listener: Listener): () => void {
		this.#listeners.add(listener);
		return () => void this.#listeners.delete(listener);
	}

	get steeringMode(): QueueMode {
		return this.#steering.mode;
	}

	set steeringMode(mode: QueueMode) {
		this.#steering.mode = mode;
	}

	get followUpMode(): QueueMode {
		return this.#followUps.mode;
	}

	set followUpMode(mode: QueueMode) {
		this.#followUps.mode = mode;
	}

	get signal(): AbortSignal | undefined {
		return this.#running?.controller.signal;
	}

	steer(message: AgentMessage): void {
		this.#steering.add(message);
	}

	followUp(message: AgentMessage): void {
		this.#followUps.add(message);
	}

	clearSteeringQueue(): void {
		this.#steering.clear();
	}

	clearFollowUpQueue(): void {
		this.#followUps.clear();
	}

	clearAllQueues(): void {
		this.clearSteeringQueue();
		this.clearFollowUpQueue();
	}

	hasQueuedMessages(): boolean {
		return this.peekQueuedMessages().length > 0;
	}

	peekQueuedMessages(): AgentMessage[] {
		return [...this.#steering.messages, ...this.#followUps.messages];
	}

	abort(): void {
		this.#running?.controller.abort();
	}

	async waitForIdle(): Promise<void> {
		while (this.#running) await this.#running.ended;
	}

	reset(): void {
		this.state.messages = [];
		this.state.streamingMessage = undefined;
		this.state.pendingToolCalls = new Set();
		this.state.errorMessage = undefined;
		this.clearAllQueues();
	}

	async prompt(input: string | AgentMessage | AgentMessage[], images: ImageContent[] = []): Promise<void> {
		if (typeof input !== "string") return this.#run(Array.isArray(input) ? input : [input]);
		const text = { type: "text" as const, text: input };
		return this.#run([{ role: "user", content: [text, ...images], timestamp: Date.now() }]);
	}

	/** After an answer only what waits in the queues can be gone on with. */
	async continue(): Promise<void> {
		const last = this.state.messages.at(-1);
		if (!last) throw new Error("No messages to continue from");
		if (last.role !== "assistant") return this.#run([]);
		const waiting = [this.#steering, this.#followUps].find((queue) => queue.waiting > 0);
		if (!waiting) throw new Error("Cannot continue from message role: assistant");
		return this.#run(waiting.take());
	}

	/** These were methods before they were the state's fields. */
	setSystemPrompt(systemPrompt: string): void {
		this.state.systemPrompt = systemPrompt;
	}

	setModel(model: Model): void {
		this.state.model = model;
	}

	setThinkingLevel(level: ThinkingLevel): void {
		this.state.thinkingLevel = level;
	}

	setTools(tools: PiTool[]): void {
		this.state.tools = tools;
	}

	replaceMessages(messages: AgentMessage[]): void {
		this.state.messages = messages;
	}

	appendMessage(message: AgentMessage): void {
		this.state.messages.push(message);
	}

	clearMessages(): void {
		this.state.messages = [];
	}

	async #run(prompts: AgentMessage[]): Promise<void> {
		if (this.#running) throw new AgentBusyError();
		const { model } = this.state;
		if (!model) throw new Error("No model configured");
		const controller = new AbortController();
		const ended = Promise.withResolvers<void>();
		this.#running = { controller, ended: ended.promise };
		this.state.isStreaming = true;
		this.state.errorMessage = undefined;
		try {
			const { systemPrompt, messages, tools } = this.state;
			await runAgentLoop(
				prompts,
				{ systemPrompt, messages, tools },
				this.#config(model, controller.signal),
				(event) => this.#onEvent(event, controller.signal),
				controller.signal,
				this.streamFn,
			);
		} finally {
			Object.assign(this.state, {
				isStreaming: false,
				streamingMessage: undefined,
				pendingToolCalls: new Set(),
			});
			this.#running = undefined;
			ended.resolve();
		}
	}

	#config(model: Model, signal: AbortSignal): PiLoopConfig {
		const { thinkingLevel } = this.state;
		const { convertToLlm, transformContext, getApiKey, beforeToolCall, afterToolCall } = this;
		const { toolExecution, onPayload, onResponse, sessionId, thinkingBudgets } = this;
		const hooks = { convertToLlm, transformContext, getApiKey, beforeToolCall, afterToolCall };
		const options = { toolExecution, onPayload, onResponse, sessionId, thinkingBudgets };
		const defined = Object.entries({ ...hooks, ...options }).filter(([, value]) => value !== undefined);
		return {
			...(Object.fromEntries(defined) as Hooks),
			model,
			...(thinkingLevel === "off" ? {} : { reasoning: thinkingLevel }),
			getSteeringMessages: () => this.#steering.take(),
			getFollowUpMessages: () => this.#followUps.take(),
			// The state may change during a run: the next request uses it.
			prepareNextTurn: async () => ({
				model: this.state.model ?? model,
				thinkingLevel: this.state.thinkingLevel,
				...(await this.prepareNextTurn?.(signal)),
			}),
		};
	}

	async #onEvent(event: AgentEvent, signal: AbortSignal): Promise<void> {
		this.#follow(event);
		for (const listener of this.#listeners) await listener(event, signal);
	}

	#follow(event: AgentEvent): void {
		const { state } = this;
		if (event.type === "message_start" || event.type === "message_update")
			state.streamingMessage = event.message.role === "assistant" ? event.message : undefined;
		if (event.type === "message_end") {
			state.streamingMessage = undefined;
			state.messages.push(event.message);
		}
		if (event.type === "tool_execution_start")
			state.pendingToolCalls = new Set([...state.pendingToolCalls, event.toolCallId]);
		if (event.type === "tool_execution_end") {
			const left = [...state.pendingToolCalls].filter((id) => id !== event.toolCallId);
			state.pendingToolCalls = new Set(left);
		}
		if (event.type === "turn_end") state.errorMessage = event.message.errorMessage ?? state.errorMessage;
	}
}

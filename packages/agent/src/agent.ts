/** A conversation that can be talked to, listened to, steered and stopped: the loop with a memory. */
import { stream, type Model, type ThinkingLevel } from "@tau/ai";
import { onDispose } from "@tau/utils";

import { AnswerGate } from "./answer-gate.ts";
import { defaultConvertToLlm, type Attachment, type UserMessageWithAttachments } from "./attachments.ts";
import { agentLoop } from "./loop.ts";
import { MessageQueue, type QueueMode } from "./queue.ts";
import type { AgentEvent, AgentLoopConfig, AgentMessage, AgentTool, AnswerInterruption } from "./types.ts";

export interface AgentState {
	readonly systemPrompt: string;
	readonly model: Model;
	readonly thinkingLevel: ThinkingLevel;
	readonly tools: readonly AgentTool[];
	readonly messages: readonly AgentMessage[];
	readonly isStreaming: boolean;
	/** The answer that is being given, as far as it has come. */
	readonly streamMessage?: AgentMessage;
	readonly pendingToolCalls: ReadonlySet<string>;
	readonly steering: readonly AgentMessage[];
	readonly followUps: readonly AgentMessage[];
	readonly steeringMode: QueueMode;
	readonly followUpMode: QueueMode;
	/** Why the last run ended badly. */
	readonly error?: string;
}

export interface AgentOptions extends Partial<
	Omit<AgentLoopConfig, "settings" | "steering" | "followUps" | "gate">
> {
	model: Model;
	systemPrompt?: string;
	thinkingLevel?: ThinkingLevel;
	tools?: readonly AgentTool[];
	messages?: readonly AgentMessage[];
	steeringMode?: QueueMode;
	followUpMode?: QueueMode;
}

/** Emitted beside the events of runs: messages were queued, delivered or taken back. */
interface QueueChange {
	type: "queue_change";
	steering: readonly AgentMessage[];
	followUps: readonly AgentMessage[];
}

export type AgentListener = (event: AgentEvent | QueueChange) => void | Promise<void>;

export class Agent {
	readonly #options: AgentOptions;
	readonly #listeners = new Set<AgentListener>();
	readonly #steering: MessageQueue;
	readonly #followUps: MessageQueue;
	/** In which order messages were queued, across both queues. */
	readonly #queuedAs = new WeakMap<AgentMessage, number>();
	#queuedCount = 0;
	readonly #gate = new AnswerGate();
	/** Grows in place: a copy for each message would cost the length of the conversation squared. */
	#messages: AgentMessage[];
	#state: Omit<AgentState, "messages" | "steering" | "followUps" | "steeringMode" | "followUpMode">;
	#running: { controller: AbortController; ended: Promise<void> } | undefined;

	constructor(options: AgentOptions) {
		this.#options = options;
		this.#steering = new MessageQueue(options.steeringMode ?? "one-at-a-time", () => this.#queued());
		this.#followUps = new MessageQueue(options.followUpMode ?? "one-at-a-time", () => this.#queued());
		this.#messages = [...(options.messages ?? [])];
		this.#state = {
			systemPrompt: options.systemPrompt ?? "",
			model: options.model,
			thinkingLevel: options.thinkingLevel ?? "off",
			tools: [...(options.tools ?? [])],
			isStreaming: false,
			pendingToolCalls: new Set(),
		};
	}

	get state(): AgentState {
		return {
			...this.#state,
			messages: this.#messages,
			steering: this.#steering.messages,
			followUps: this.#followUps.messages,
			steeringMode: this.#steering.mode,
			followUpMode: this.#followUps.mode,
		};
	}

	/** Hears every event in order; the run waits for what a listener returns. */
	subscribe(listener: AgentListener): Disposable {
		this.#listeners.add(listener);
		return onDispose(() => this.#listeners.delete(listener));
	}

	/** Resolves when the model has stopped. Rejects only when the agent is busy: then `steer` or `followUp`. */
	async prompt(
		input: string | AgentMessage | readonly AgentMessage[],
		attachments: readonly Attachment[] = [],
	): Promise<void> {
		const message = typeof input === "string" ? userMessage(input, attachments) : input;
		await this.#run("role" in message ? [message] : message);
	}

	/** Goes on from what is there, for instance after a failure: the last message must not be an answer. */
	async continue(): Promise<void> {
		const last = this.#messages.at(-1);
		if (!last) throw new Error("There are no messages to continue from.");
		if (last.role === "assistant")
			throw new Error("Cannot continue: the last message is an assistant message. Send a prompt first.");
		await this.#run([]);
	}

	/** Said to the model after the tools that are running; calls that have not begun are skipped. */
	steer(message: AgentMessage): void {
		this.#queue(this.#steering, message);
	}

	/** Said to the model when it would stop. */
	followUp(message: AgentMessage): void {
		this.#queue(this.#followUps, message);
	}

	#queue(queue: MessageQueue, message: AgentMessage): void {
		this.#queuedAs.set(message, ++this.#queuedCount);
		queue.add(message);
	}

	/** Gives back the waiting message that was queued last, in whichever way it waits. */
	takeBack(): AgentMessage | undefined {
		const newest = ({ messages }: MessageQueue): number => {
			const last = messages.at(-1);
			return (last && this.#queuedAs.get(last)) ?? 0;
		};
		const isSteering = newest(this.#steering) > newest(this.#followUps);
		return (isSteering ? this.#steering : this.#followUps).takeBack();
	}

	/** Empties both queues and gives back what was in them, in the order in which it would have been said. */
	clearQueues(): AgentMessage[] {
		return [...this.#steering.clear(), ...this.#followUps.clear()];
	}

	setQueueModes(modes: { steering?: QueueMode; followUps?: QueueMode }): void {
		this.#steering.mode = modes.steering ?? this.#steering.mode;
		this.#followUps.mode = modes.followUps ?? this.#followUps.mode;
	}

	abort(): void {
		this.#running?.controller.abort();
	}

	/**
	 * Cuts the answer that is being given short, from within a listener that heard it: the run goes on with the message,
	 * and calls of that answer are not run. Says whether it was taken: see `AnswerGate`.
	 */
	interrupt(interruption: AnswerInterruption): boolean {
		// The loop may be ahead of its listeners: only what they are hearing can be cut short.
		return this.#state.streamMessage !== undefined && this.#gate.interrupt(interruption);
	}

	/** Resolves when no run is under way. */
	async waitForIdle(): Promise<void> {
		while (this.#running) await this.#running.ended;
	}

	/** These take effect at the next request, also in the middle of a run. */
	setModel(model: Model): void {
		this.#change({ model });
	}

	setThinkingLevel(thinkingLevel: ThinkingLevel): void {
		this.#change({ thinkingLevel });
	}

	setTools(tools: readonly AgentTool[]): void {
		this.#change({ tools: [...tools] });
	}

	setSystemPrompt(systemPrompt: string): void {
		this.#change({ systemPrompt });
	}

	/** These are for an agent that is not running: a run has its own copy. */
	replaceMessages(messages: readonly AgentMessage[]): void {
		this.#messages = [...messages];
	}

	appendMessage(message: AgentMessage): void {
		this.#messages.push(message);
	}

	async #run(prompts: readonly AgentMessage[]): Promise<void> {
		if (this.#running) throw new Error("The agent is busy. Wait for it to finish, steer it or abort it.");
		const controller = new AbortController();
		const ended = Promise.withResolvers<void>();
		this.#running = { controller, ended: ended.promise };
		const { error: _, ...state } = this.#state;
		this.#state = { ...state, isStreaming: true };
		try {
			const { tools, systemPrompt } = this.#state;
			const context = { systemPrompt, messages: this.#messages, tools: [...tools] };
			for await (const event of agentLoop(prompts, context, this.#config(), controller.signal)) {
				this.#follow(event);
				await this.#tell(event);
			}
		} finally {
			const { streamMessage: __, ...rest } = this.#state;
			this.#state = { ...rest, isStreaming: false, pendingToolCalls: new Set() };
			this.#running = undefined;
			ended.resolve();
		}
	}

	#config(): AgentLoopConfig {
		const { convertToLlm, getApiKey, stream: own, options, transformContext } = this.#options;
		const { beforeToolCall, afterToolCall, shouldStop } = this.#options;
		return {
			settings: () => {
				const { model, thinkingLevel, systemPrompt, tools } = this.#state;
				return { model, reasoning: thinkingLevel, systemPrompt, tools: [...tools] };
			},
			convertToLlm: convertToLlm ?? defaultConvertToLlm,
			getApiKey: getApiKey ?? (() => undefined),
			stream: own ?? stream,
			steering: this.#steering,
			followUps: this.#followUps,
			gate: this.#gate,
			...(options ? { options } : {}),
			...(transformContext ? { transformContext } : {}),
			...(beforeToolCall ? { beforeToolCall } : {}),
			...(afterToolCall ? { afterToolCall } : {}),
			...(shouldStop ? { shouldStop } : {}),
		};
	}

	/** Keeps the state in step with the events. */
	#follow(event: AgentEvent): void {
		switch (event.type) {
			case "message_start":
				if (event.message.role === "assistant")
					this.#state = { ...this.#state, streamMessage: event.message };
				return;
			case "message_end": {
				const { streamMessage: _, ...state } = this.#state;
				const { message, interrupted } = event;
				const failed = message.role === "assistant" && !interrupted ? message.errorMessage : undefined;
				if (!interrupted?.discarded) this.#messages.push(message);
				this.#state = { ...state, ...(failed === undefined ? {} : { error: failed }) };
				return;
			}
			case "tool_execution_start":
				this.#state = {
					...this.#state,
					pendingToolCalls: new Set(this.#state.pendingToolCalls).add(event.toolCallId),
				};
				return;
			case "tool_execution_end": {
				const pending = new Set(this.#state.pendingToolCalls);
				pending.delete(event.toolCallId);
				this.#state = { ...this.#state, pendingToolCalls: pending };
				return;
			}
			default:
				return;
		}
	}

	#change(part: Partial<Pick<AgentState, "model" | "thinkingLevel" | "tools" | "systemPrompt">>): void {
		this.#state = { ...this.#state, ...part };
	}

	#queued(): void {
		const { steering, followUps } = this.state;
		void this.#tell({ type: "queue_change", steering, followUps });
	}

	async #tell(event: Parameters<AgentListener>[0]): Promise<void> {
		for (const listener of this.#listeners) await listener(event);
	}
}

function userMessage(text: string, attachments: readonly Attachment[]): AgentMessage {
	const message: UserMessageWithAttachments = { role: "user", content: text, timestamp: Date.now() };
	if (attachments.length > 0) message.attachments = [...attachments];
	return message;
}

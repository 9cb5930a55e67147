/** What a loop works on: the conversation, the settings of the next request, and the queues. The caller of the loop owns it. */
import type { Model, ThinkingLevel } from "@tau/ai";

import { AnswerInterrupt } from "./answer-interrupt.ts";
import { MessageQueue, type QueueMode } from "./queue.ts";
import type {
	AgentContext,
	AgentEvent,
	AgentLoopConfig,
	AgentMessage,
	AgentTool,
	AnswerInterruption,
} from "./types.ts";

export interface AgentState {
	readonly systemPrompt: string;
	readonly model: Model;
	readonly thinkingLevel: ThinkingLevel;
	readonly tools: readonly AgentTool[];
	readonly messages: readonly AgentMessage[];
	readonly isStreaming: boolean;
	/** The answer that is streaming, as far as it has arrived. */
	readonly streamMessage?: AgentMessage;
	readonly pendingToolCalls: ReadonlySet<string>;
	readonly steering: readonly AgentMessage[];
	readonly followUps: readonly AgentMessage[];
	readonly steeringMode: QueueMode;
	readonly followUpMode: QueueMode;
	/** The error message of the last run, if it failed. */
	readonly error?: string;
}

export interface LoopStateOptions {
	model: Model;
	systemPrompt?: string;
	thinkingLevel?: ThinkingLevel;
	tools?: readonly AgentTool[];
	/** The conversation so far; a function is called when it is first needed. */
	messages?: readonly AgentMessage[] | (() => readonly AgentMessage[]);
	steeringMode?: QueueMode;
	followUpMode?: QueueMode;
}

/** The messages that wait, when some were queued, delivered or dequeued. */
export interface Queues {
	steering: readonly AgentMessage[];
	followUps: readonly AgentMessage[];
}

/** What the state adds to the configuration of a loop. */
type OwnConfig = Pick<AgentLoopConfig, "settings" | "steering" | "followUps" | "interrupt">;

export class LoopState {
	readonly #steering: MessageQueue;
	readonly #followUps: MessageQueue;
	/** The order in which messages were queued, across both queues. */
	readonly #queuedAs = new WeakMap<AgentMessage, number>();
	#queuedCount = 0;
	readonly #interrupt = new AnswerInterrupt();
	/** Grows in place: a copy for each message would cost the length of the conversation squared. */
	#messages: AgentMessage[];
	/** Comes before `#messages`, and was not needed so far. */
	#past: (() => readonly AgentMessage[]) | undefined;
	#state: Omit<AgentState, "messages" | "steering" | "followUps" | "steeringMode" | "followUpMode">;

	constructor(options: LoopStateOptions, onQueued: (queues: Queues) => void) {
		const queued = (): void =>
			onQueued({ steering: this.#steering.messages, followUps: this.#followUps.messages });
		this.#steering = new MessageQueue(options.steeringMode ?? "one-at-a-time", queued);
		this.#followUps = new MessageQueue(options.followUpMode ?? "one-at-a-time", queued);
		const { messages = [] } = options;
		this.#past = typeof messages === "function" ? messages : undefined;
		this.#messages = typeof messages === "function" ? [] : [...messages];
		this.#state = {
			systemPrompt: options.systemPrompt ?? "",
			model: options.model,
			thinkingLevel: options.thinkingLevel ?? "off",
			tools: [...(options.tools ?? [])],
			isStreaming: false,
			pendingToolCalls: new Set(),
		};
	}

	get model(): Model {
		return this.#state.model;
	}

	get state(): AgentState {
		const all = (): readonly AgentMessage[] => this.#all();
		return {
			...this.#state,
			get messages() {
				return all();
			},
			steering: this.#steering.messages,
			followUps: this.#followUps.messages,
			steeringMode: this.#steering.mode,
			followUpMode: this.#followUps.mode,
		};
	}

	/** Queues a message for after the running tools; calls that have not started are skipped. */
	steer(message: AgentMessage): void {
		this.#queue(this.#steering, message);
	}

	/** Queues a message for when the model would stop. */
	followUp(message: AgentMessage): void {
		this.#queue(this.#followUps, message);
	}

	#queue(queue: MessageQueue, message: AgentMessage): void {
		this.#queuedAs.set(message, ++this.#queuedCount);
		queue.add(message);
	}

	/** Dequeues the message that was queued last, from either queue. */
	dequeueLast(): AgentMessage | undefined {
		const newest = ({ messages }: MessageQueue): number => {
			const last = messages.at(-1);
			return (last && this.#queuedAs.get(last)) ?? 0;
		};
		const isSteering = newest(this.#steering) > newest(this.#followUps);
		return (isSteering ? this.#steering : this.#followUps).dequeueLast();
	}

	/** Removes queued messages that nobody needs any more. */
	withdraw(isStale: (message: AgentMessage) => boolean): void {
		this.#steering.withdraw(isStale);
		this.#followUps.withdraw(isStale);
	}

	/** Empties both queues and returns their messages in the order of delivery. */
	clearQueues(): AgentMessage[] {
		return [...this.#steering.clear(), ...this.#followUps.clear()];
	}

	setQueueModes(modes: { steering?: QueueMode; followUps?: QueueMode }): void {
		this.#steering.mode = modes.steering ?? this.#steering.mode;
		this.#followUps.mode = modes.followUps ?? this.#followUps.mode;
	}

	/**
	 * Interrupts the answer that is streaming, from within a listener that received it: the run continues with the
	 * message, and calls of that answer are not run. Returns whether the interruption was accepted: see `AnswerInterrupt`.
	 */
	interrupt(interruption: AnswerInterruption): boolean {
		// The loop may be ahead of its listeners: only an answer that they are receiving can be interrupted.
		return this.#state.streamMessage !== undefined && this.#interrupt.interrupt(interruption);
	}

	/** The following setters take effect at the next request, also during a run. */
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

	/** The following methods are for an idle agent: a run has its own copy. */
	replaceMessages(messages: readonly AgentMessage[]): void {
		this.#past = undefined;
		this.#messages = [...messages];
	}

	/** The messages since the agent was made, where those before were not needed so far. */
	get withoutPast(): readonly AgentMessage[] | undefined {
		return this.#past && this.#messages;
	}

	/** Puts the conversation so far where it belongs, unless it is there already. */
	restore(past: readonly AgentMessage[]): void {
		if (this.#past) this.#messages = [...past, ...this.#messages];
		this.#past = undefined;
	}

	#all(): AgentMessage[] {
		if (this.#past) this.restore(this.#past());
		return this.#messages;
	}

	appendMessage(message: AgentMessage): void {
		this.#messages.push(message);
	}

	/** Throws unless the conversation can be continued as it is: its last message must not be an answer. */
	assertOpen(): void {
		const last = this.#all().at(-1);
		if (!last) throw new Error("There are no messages to continue from.");
		if (last.role === "assistant")
			throw new Error("Cannot continue: the last message is an assistant message. Send a prompt first.");
	}

	/** Begins a run; disposing of it ends the run. */
	begin(): Disposable & { readonly context: AgentContext; readonly config: OwnConfig } {
		const { error: _, ...state } = this.#state;
		this.#state = { ...state, isStreaming: true };
		const { tools, systemPrompt } = state;
		return {
			context: { systemPrompt, messages: this.#all(), tools: [...tools] },
			config: {
				settings: () => {
					const { model, thinkingLevel: reasoning, systemPrompt: prompt, tools: all } = this.#state;
					return { model, reasoning, systemPrompt: prompt, tools: [...all] };
				},
				steering: this.#steering,
				followUps: this.#followUps,
				interrupt: this.#interrupt,
			},
			[Symbol.dispose]: () => {
				const { streamMessage: __, ...rest } = this.#state;
				this.#state = { ...rest, isStreaming: false, pendingToolCalls: new Set() };
			},
		};
	}

	/** Updates the state from an event of the loop, before anybody else receives it. */
	follow(event: AgentEvent): void {
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
}

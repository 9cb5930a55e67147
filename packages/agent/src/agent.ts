/** An agent: the loop with state. It can be prompted, observed, steered and stopped. */
import { stream, type Model, type ThinkingLevel } from "@tau/ai/portable";
import { onDispose } from "@tau/utils/portable";
import { defaultConvertToLlm, type Attachment, type UserMessageWithAttachments } from "./attachments.ts";
import { agentLoop } from "./loop.ts";
import { LoopState, type AgentState, type LoopStateOptions, type Queues } from "./loop-state.ts";
import type { QueueMode } from "./queue.ts";
import type { AgentEvent, AgentLoopConfig, AgentMessage, AgentTool, AnswerInterruption } from "./types.ts";

export interface AgentOptions
	extends
		LoopStateOptions,
		Partial<Omit<AgentLoopConfig, "access" | "settings" | "steering" | "followUps" | "interrupt">> {
	/** Asked before each request, because short-lived keys expire while tools run. */
	getApiKey?(provider: string, model: Model): Promise<string | undefined> | string | undefined;
}

/** Emitted beside the events of runs when messages were queued, delivered or dequeued. */
interface QueueChange extends Queues {
	type: "queue_change";
}

export type AgentListener = (event: AgentEvent | QueueChange) => void | Promise<void>;

export class Agent {
	readonly #options: AgentOptions;
	readonly #listeners = new Set<AgentListener>();
	readonly #state: LoopState;
	#running: { controller: AbortController; ended: Promise<void> } | undefined;

	constructor(options: AgentOptions) {
		this.#options = options;
		this.#state = new LoopState(options, (queues) => void this.#emit({ type: "queue_change", ...queues }));
	}

	get model(): Model {
		return this.#state.model;
	}

	get state(): AgentState {
		return this.#state.state;
	}

	/** Calls the listener for every event in order; the run waits for the promise that a listener returns. */
	subscribe(listener: AgentListener): Disposable {
		this.#listeners.add(listener);
		return onDispose(() => this.#listeners.delete(listener));
	}

	/** Resolves when the model has stopped. Rejects only when the agent is busy: then use `steer` or `followUp`. */
	async prompt(
		input: string | AgentMessage | readonly AgentMessage[],
		attachments: readonly Attachment[] = [],
	): Promise<void> {
		const message = typeof input === "string" ? userMessage(input, attachments) : input;
		await this.#run("role" in message ? [message] : message);
	}

	/** Continues from the current messages, for instance after a failure: the last message must not be an answer. */
	async continue(): Promise<void> {
		this.#state.assertOpen();
		await this.#run([]);
	}

	/** Queues a message for after the running tools; calls that have not started are skipped. */
	steer(message: AgentMessage): void {
		this.#state.steer(message);
	}

	/** Queues a message for when the model would stop. */
	followUp(message: AgentMessage): void {
		this.#state.followUp(message);
	}

	/** Dequeues the message that was queued last, from either queue. */
	dequeueLast(): AgentMessage | undefined {
		return this.#state.dequeueLast();
	}

	/** Empties both queues and returns their messages in the order of delivery. */
	clearQueues(): AgentMessage[] {
		return this.#state.clearQueues();
	}

	setQueueModes(modes: { steering?: QueueMode; followUps?: QueueMode }): void {
		this.#state.setQueueModes(modes);
	}

	abort(): void {
		this.#running?.controller.abort();
	}

	/** See `LoopState.interrupt`. */
	interrupt(interruption: AnswerInterruption): boolean {
		return this.#state.interrupt(interruption);
	}

	/** Resolves when no run is active. */
	async waitForIdle(): Promise<void> {
		while (this.#running) await this.#running.ended;
	}

	/** The following setters take effect at the next request, also during a run. */
	setModel(model: Model): void {
		this.#state.setModel(model);
	}

	setThinkingLevel(level: ThinkingLevel): void {
		this.#state.setThinkingLevel(level);
	}

	setTools(tools: readonly AgentTool[]): void {
		this.#state.setTools(tools);
	}

	setSystemPrompt(systemPrompt: string): void {
		this.#state.setSystemPrompt(systemPrompt);
	}

	/** The following methods are for an idle agent: a run has its own copy. */
	replaceMessages(messages: readonly AgentMessage[]): void {
		this.#state.replaceMessages(messages);
	}

	clearMessages(): void {
		this.#state.replaceMessages([]);
	}

	appendMessage(message: AgentMessage): void {
		this.#state.appendMessage(message);
	}

	async #run(prompts: readonly AgentMessage[]): Promise<void> {
		if (this.#running) throw new Error("The agent is busy. Wait for it to finish, steer it or abort it.");
		const controller = new AbortController();
		const ended = Promise.withResolvers<void>();
		this.#running = { controller, ended: ended.promise };
		try {
			using run = this.#state.begin();
			const config = { ...this.#config(), ...run.config };
			for await (const event of agentLoop(prompts, run.context, config, controller.signal)) {
				this.#state.follow(event);
				await this.#emit(event);
			}
		} finally {
			this.#running = undefined;
			ended.resolve();
		}
	}

	#config(): Omit<AgentLoopConfig, "settings"> {
		const { convertToLlm, getApiKey, stream: own, options, transformContext } = this.#options;
		const { toolGates, findTool, shouldStop, takeNotes } = this.#options;
		return {
			convertToLlm: convertToLlm ?? defaultConvertToLlm,
			access: async (model) => {
				const apiKey = await getApiKey?.(model.provider, model);
				return apiKey === undefined ? {} : { apiKey };
			},
			stream: own ?? stream,
			...(options ? { options } : {}),
			...(transformContext ? { transformContext } : {}),
			...(toolGates ? { toolGates } : {}),
			...(findTool ? { findTool } : {}),
			...(shouldStop ? { shouldStop } : {}),
			...(takeNotes ? { takeNotes } : {}),
		};
	}

	async #emit(event: Parameters<AgentListener>[0]): Promise<void> {
		for (const listener of this.#listeners) await listener(event);
	}
}

function userMessage(text: string, attachments: readonly Attachment[]): AgentMessage {
	const message: UserMessageWithAttachments = { role: "user", content: text, timestamp: Date.now() };
	if (attachments.length > 0) message.attachments = [...attachments];
	return message;
}

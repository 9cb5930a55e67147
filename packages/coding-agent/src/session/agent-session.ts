/** A conversation: the facade that every mode drives and every behavior hangs on. */
import { agentLoop, type AgentEvent, type AgentMessage, type AgentTool } from "@tau/agent";
import {
	stream,
	type ImageContent,
	type Message,
	type Model,
	type TextContent,
	type ThinkingLevel,
} from "@tau/ai";
import { log, onDispose } from "@tau/utils";

import type { Behavior, SessionEvent, SessionHandle, SessionListener } from "./behavior.ts";

export interface AgentSessionOptions {
	model: Model;
	systemPrompt: string;
	tools: AgentTool[];
	thinking?: ThinkingLevel;
	/** The key is asked for before every request, because it may expire; the headers once a prompt. */
	credentials(model: Model): { apiKey?: string; headers?: Record<string, string> };
	behaviors?: readonly Behavior[];
}

export interface Prompt {
	text: string;
	images?: readonly ImageContent[];
}

export class AgentSession implements Disposable {
	readonly #options: AgentSessionOptions;
	readonly #messages: AgentMessage[] = [];
	readonly #listeners = new Set<SessionListener>();
	/** Behaviors hear first: what is shown as finished is on disk already. */
	readonly #inner = new Set<SessionListener>();
	readonly #owned = new DisposableStack();
	#running: AbortController | undefined;
	readonly #notices: SessionEvent[] = [];

	constructor(options: AgentSessionOptions) {
		this.#options = options;
		const handle: SessionHandle = {
			on: (listener) => register(this.#inner, listener),
			notice: (level, message) => void this.#notices.push({ type: "notice", level, message }),
		};
		for (const behavior of options.behaviors ?? []) this.#owned.use(behavior.attach(handle));
	}

	get model(): Model {
		return this.#options.model;
	}

	subscribe(listener: SessionListener): Disposable {
		return register(this.#listeners, listener);
	}

	/**
	 * Resolves when the model has stopped. What a model, a tool or a listener does wrong never rejects it; a second
	 * prompt while the first is being answered does.
	 */
	async prompt({ text, images = [] }: Prompt): Promise<void> {
		if (this.#running) throw new Error("The session is answering a prompt: wait for its end or abort it.");
		const running = new AbortController();
		this.#running = running;
		try {
			const run = agentLoop(
				[userMessage(text, images)],
				{ systemPrompt: this.#options.systemPrompt, messages: this.#messages, tools: this.#options.tools },
				this.#loopConfig(),
				running.signal,
			);
			for await (const event of run) {
				if (event.type === "message_end") this.#messages.push(event.message);
				await this.#tell(event);
			}
		} finally {
			this.#running = undefined;
		}
	}

	abort(): void {
		this.#running?.abort();
	}

	[Symbol.dispose](): void {
		this.abort();
		this.#owned.dispose();
		this.#listeners.clear();
	}

	#loopConfig(): Parameters<typeof agentLoop>[2] {
		const { model, thinking, credentials } = this.#options;
		const { headers } = credentials(model);
		return {
			model,
			stream,
			convertToLlm,
			getApiKey: () => credentials(model).apiKey,
			...(headers ? { headers } : {}),
			...(thinking ? { reasoning: thinking } : {}),
		};
	}

	async #tell(event: AgentEvent): Promise<void> {
		for (const listener of this.#inner) await call(listener, event);
		for (const listener of this.#listeners) await call(listener, event);
		for (const notice of this.#notices.splice(0)) {
			for (const listener of this.#listeners) await call(listener, notice);
		}
	}
}

/** A listener that fails is reported and does not take the conversation with it. */
async function call(listener: SessionListener, event: SessionEvent): Promise<void> {
	try {
		await listener(event);
	} catch (error) {
		log.error("a session listener failed", { event: event.type, reason: String(error) });
	}
}

function register(listeners: Set<SessionListener>, listener: SessionListener): Disposable {
	listeners.add(listener);
	return onDispose(() => listeners.delete(listener));
}

function userMessage(text: string, images: readonly ImageContent[]): Message {
	const parts: (TextContent | ImageContent)[] = [{ type: "text", text }, ...images];
	return { role: "user", content: images.length === 0 ? text : parts, timestamp: Date.now() };
}

/** Models know three roles; what else an application keeps in a conversation is not for them. */
function convertToLlm(messages: readonly AgentMessage[]): Message[] {
	return messages.filter(({ role }) => role === "user" || role === "assistant" || role === "toolResult");
}

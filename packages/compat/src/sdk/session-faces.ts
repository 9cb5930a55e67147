/** The `agent` of a session as pi shows it: the same conversation, seen from the loop. */
import type { AgentMessage, AgentTool } from "@tau/agent";
import type { Model, ThinkingLevel } from "@tau/ai";
import type { AgentSession, SessionEvent, SessionHandle } from "@tau/session";

export type SessionListener = (event: SessionEvent) => void | Promise<void>;

interface Owner {
	subscribe(listener: SessionListener): () => void;
	abort(): Promise<void>;
	waitForIdle(): Promise<void>;
	setActiveToolsByName(names: string[]): void;
}

type State = AgentSession["state"];

/** By pi's names. What is assigned holds for the agent; the session file keeps its own messages. */
interface WritableState extends Omit<
	State,
	"messages" | "systemPrompt" | "model" | "thinkingLevel" | "tools"
> {
	messages: readonly AgentMessage[];
	systemPrompt: string;
	model: Model;
	thinkingLevel: ThinkingLevel;
	get tools(): readonly AgentTool[];
	set tools(tools: readonly Pick<AgentTool, "name">[]);
	readonly streamingMessage?: AgentMessage;
	readonly errorMessage?: string;
}

export class AgentFace {
	readonly #session: () => AgentSession;
	readonly #handle: () => SessionHandle;
	readonly #owner: Owner;
	/** The prompt that the program has set, as long as the session is the same. */
	#prompt: { handle: SessionHandle; text: string } | undefined;
	/** Always the current state, however long the program keeps it. */
	readonly state: WritableState;

	constructor(session: () => AgentSession, handle: () => SessionHandle, owner: Owner) {
		this.#session = session;
		this.#handle = handle;
		this.#owner = owner;
		this.state = liveState(
			() => {
				const { state } = session();
				const { streamMessage: streamingMessage, error: errorMessage } = state;
				return {
					...state,
					systemPrompt: this.#ownPrompt ?? state.systemPrompt,
					streamingMessage,
					errorMessage,
				};
			},
			{
				messages: (messages) => this.replaceMessages(messages),
				systemPrompt: (text) => this.setSystemPrompt(text),
				model: (model) => this.setModel(model),
				thinkingLevel: (level) => this.setThinkingLevel(level),
				tools: (tools) => this.setTools(tools),
			},
		);
	}

	get signal(): AbortSignal | undefined {
		return this.#session().signal;
	}

	subscribe(listener: SessionListener): () => void {
		return this.#owner.subscribe(listener);
	}

	steer(message: AgentMessage): void {
		void this.#handle().deliver(message, "steer");
	}

	followUp(message: AgentMessage): void {
		void this.#handle().deliver(message, "followUp");
	}

	abort(): void {
		void this.#owner.abort();
	}

	waitForIdle(): Promise<void> {
		return this.#owner.waitForIdle();
	}

	/** For an idle session. */
	replaceMessages(messages: readonly AgentMessage[]): void {
		this.#handle().replaceMessages([...messages]);
	}

	setSystemPrompt(text: string): void {
		const handle = this.#handle();
		const isFirst = this.#prompt?.handle !== handle;
		this.#prompt = { handle, text };
		if (!isFirst) return;
		handle.hooks.preparers.add(async () => {
			const own = this.#ownPrompt;
			return own === undefined ? undefined : { systemPrompt: own };
		});
	}

	setModel(model: Model): void {
		this.#session().setModel(model);
	}

	setThinkingLevel(level: ThinkingLevel): void {
		this.#session().setThinkingLevel(level);
	}

	/** Of the session's own tools: those with these names. */
	setTools(tools: readonly Pick<AgentTool, "name">[]): void {
		this.#owner.setActiveToolsByName(tools.map(({ name }) => name));
	}

	get #ownPrompt(): string | undefined {
		return this.#prompt?.handle === this.#handle() ? this.#prompt.text : undefined;
	}
}

interface Assign {
	messages(messages: readonly AgentMessage[]): void;
	systemPrompt(text: string): void;
	model(model: Model): void;
	thinkingLevel(level: ThinkingLevel): void;
	tools(tools: readonly Pick<AgentTool, "name">[]): void;
}

/** An object that reads the current state, and passes on what is assigned to it. */
function liveState(current: () => object, assign: Assign): WritableState {
	const setters = new Map<PropertyKey, (value: never) => void>(Object.entries(assign));
	return new Proxy({} as WritableState, {
		get: (_, name): unknown => Reflect.get(current(), name),
		has: (_, name) => name in current(),
		ownKeys: () => Reflect.ownKeys(current()),
		getOwnPropertyDescriptor(_, name) {
			const descriptor = Reflect.getOwnPropertyDescriptor(current(), name);
			return descriptor && { ...descriptor, configurable: true };
		},
		set(_, name, value: never) {
			const setter = setters.get(name);
			setter?.(value);
			return setter !== undefined;
		},
	});
}

/** The hooks of behaviors on the way from a prompt to the model: its text, the request, and how the run continues. */
import type { AgentLoopConfig, AgentMessage, CompactionPreparation, ModelRequest } from "@tau/agent";
import type {
	Access,
	AssistantMessage,
	Context,
	Model,
	StreamFunction,
	StreamOptions,
	ThinkingLevel,
	Usage,
} from "@tau/ai";
import { log, onDispose } from "@tau/utils";
import type { CompactionResult } from "@tau/wire";

import type { CompactionSettings } from "../compaction/settings.ts";
import type { PrefixWatch } from "./prefix-watch.ts";
import type { Prompt } from "./prompt.ts";
import { UserError } from "./user-error.ts";

/** Slash commands, which never reach the model. */
export interface CommandRunner {
	has(prompt: Prompt): boolean;
	run(prompt: Prompt): Promise<unknown>;
}

/**
 * Returns the prompt to send; undefined if it was handled and the model is not called. Throws `PromptDenied` if the user
 * may not send it.
 */
export type InputChange = (prompt: Prompt) => Promise<Prompt | undefined>;

/** What a run adds to its prompt. */
export interface RunPreparation {
	/** Sent after the prompt. */
	messages?: readonly AgentMessage[];
	/** For this run only. */
	systemPrompt?: string;
	/** Disposed of when the run is over. */
	scope?: Disposable;
}

/** What all preparers have added; disposing of it ends what they changed for this run. */
export interface PreparedRun extends Disposable {
	messages: AgentMessage[];
	systemPrompt: string;
}

export type RunPreparer = (prompt: Prompt, systemPrompt: string) => Promise<RunPreparation | undefined>;

/** Changes the context of a request; the conversation itself stays unchanged. */
export type ContextChange = (
	messages: readonly AgentMessage[],
	signal: AbortSignal,
) => Promise<readonly AgentMessage[]>;

/** Sees requests before they are sent, and may change them. */
export interface RequestWatch {
	/** False if it would do nothing now: then requests are neither copied nor waited for. */
	isActive(): boolean;
	onPayload(payload: unknown): Promise<unknown>;
	/** May change them in place; null removes one. */
	onHeaders(headers: Record<string, string | null>): Promise<void>;
	onResponse(response: { status: number; headers: Record<string, string> }): void;
}

/** Changes a request to the model, or what answers it; what it does wrong is in the answer. */
export type AskChange = (request: ModelRequest) => ModelRequest;

/** Watches requests beside the conversation. */
export interface SideWatch {
	/** Throws a `UserError` if none may be sent now. */
	before(): void;
	after(answer: Pick<AssistantMessage, "usage">): void;
}

/** What is stored after a final answer; with `continues`, it is sent and answered. */
export interface Settled {
	messages: readonly AgentMessage[];
	continues: boolean;
}

/** A model or thinking level was selected. */
export type Selection =
	| { type: "model_select"; model: Model; previousModel: Model | undefined; source: SelectionSource }
	| { type: "thinking_level_select"; level: ThinkingLevel; previousLevel: ThinkingLevel };

export type SelectionSource = "set" | "cycle" | "restore";

/** A compaction that is about to start. */
export interface CompactionAbout {
	preparation: CompactionPreparation;
	tokensBefore: number;
	instructions?: string;
	/** The reserve and the part that is kept. */
	settings: CompactionSettings;
	signal: AbortSignal;
}

/** Stops it, writes the summary itself, or says what the summary is to be about. */
export interface CompactionChange {
	cancel?: boolean;
	/** `usage` is what the summary cost, if a model wrote it; `paidTo` is that model, if it is known. */
	compaction?: Omit<CompactionResult, "details"> & {
		details?: unknown;
		preserveData?: Record<string, unknown>;
		usage?: Usage;
		paidTo?: Pick<AssistantMessage, "provider" | "model">;
	};
	instructions?: string;
	/** `instructions` replace the prompt of the summary. */
	replacesPrompt?: boolean;
	/** Stored in the entry, beside the details that Tau writes. */
	preserveData?: Record<string, unknown>;
}

export interface CompactionHook {
	before(about: CompactionAbout): Promise<CompactionChange | undefined>;
	/** `isOwn`: the summary came from `before`. */
	after(entryId: string, isOwn: boolean): Promise<void>;
}

/** How a session makes requests. */
export interface RequestParts {
	/** Called before every request, because keys expire and rotate. */
	credentials(model: Model): Access | Promise<Access>;
	stream: StreamFunction;
	/** Sent with every request of the conversation, for the caches of servers. */
	sessionId?: (() => string) | undefined;
	/** The beginning of the last request, which the provider has in its cache; a run may have had its own prompt. */
	sent?: Pick<Context, "systemPrompt" | "tools">;
	readonly prefix: PrefixWatch;
}

/** Each set runs in the order of attachment. A hook that throws is skipped. */
export class RunHooks {
	readonly commands = new Hooks<CommandRunner>();
	readonly inputs = new Hooks<InputChange>();
	readonly preparers = new Hooks<RunPreparer>();
	readonly contexts = new Hooks<ContextChange>();
	readonly requests = new Hooks<RequestWatch>();
	readonly compactions = new Hooks<CompactionHook>();
	readonly asks = new Hooks<AskChange>();
	readonly sideTurns = new Hooks<SideWatch>();
	readonly settlers = new Hooks<() => Promise<Settled | undefined>>();
	readonly selections = new Hooks<(selection: Selection) => void>();

	isCommand(prompt: Prompt): boolean {
		for (const commands of this.commands) if (commands.has(prompt)) return true;
		return false;
	}

	async runCommand(prompt: Prompt): Promise<void> {
		for (const commands of this.commands) {
			if (!commands.has(prompt)) continue;
			await quiet(commands.run(prompt));
			return;
		}
	}

	async input(prompt: Prompt): Promise<Prompt | undefined> {
		let submitted = prompt;
		for (const change of this.inputs) {
			const changed = await quiet(change(submitted), submitted);
			if (!changed) return undefined;
			submitted = changed;
		}
		return submitted;
	}

	async prepare(prompt: Prompt, base: string): Promise<PreparedRun> {
		const scopes = new DisposableStack();
		const messages: AgentMessage[] = [];
		let systemPrompt = base;
		for (const prepare of this.preparers) {
			const prepared = await quiet(prepare(prompt, systemPrompt));
			messages.push(...(prepared?.messages ?? []));
			systemPrompt = prepared?.systemPrompt ?? systemPrompt;
			scopes.use(prepared?.scope);
		}
		return { messages, systemPrompt, [Symbol.dispose]: () => scopes.dispose() };
	}

	async context(messages: readonly AgentMessage[], signal: AbortSignal): Promise<readonly AgentMessage[]> {
		let sent = messages;
		for (const change of this.contexts) sent = (await quiet(change(sent, signal), sent)) ?? sent;
		return sent;
	}

	/** How the loop asks a model: with the current key, and with the request as behaviors have changed it. */
	asking(parts: RequestParts): Pick<AgentLoopConfig, "access" | "stream" | "beforeRequest"> {
		const { credentials, stream, sessionId, prefix } = parts;
		return {
			access: async (model) => {
				const access = await credentials(model);
				return { ...access, headers: await this.headers(access.headers ?? {}) };
			},
			stream,
			beforeRequest: (request) => {
				const { systemPrompt, tools } = request.context;
				prefix.observe(request.model, request.context);
				parts.sent = {
					...(systemPrompt === undefined ? {} : { systemPrompt }),
					...(tools ? { tools } : {}),
				};
				const session = sessionId ? { sessionId: sessionId() } : {};
				return this.changed({ ...request, options: { ...session, ...request.options } });
			},
		};
	}

	/** As behaviors want it sent: the one attached last changes it first. */
	changed(request: ModelRequest): ModelRequest {
		const watched = { ...request, options: { ...request.options, ...this.#watching() } };
		return [...this.asks].reduceRight((changed, change) => change(changed), watched);
	}

	/** Undefined without listeners: then no body is held back. */
	#watching(): Pick<StreamOptions, "onPayload" | "onResponse"> {
		const watches = this.#activeWatches();
		if (watches.length === 0) return {};
		return {
			onPayload: async (payload) => {
				let sent = payload;
				for (const watch of watches) sent = (await quiet(watch.onPayload(sent), sent)) ?? sent;
				return sent;
			},
			onResponse: (response) => {
				for (const watch of watches) watch.onResponse(response);
			},
		};
	}

	async settle(): Promise<Settled> {
		const all = { messages: new Array<AgentMessage>(), continues: false };
		for (const settle of this.settlers) {
			const settled = await quiet(settle());
			all.messages.push(...(settled?.messages ?? []));
			all.continues ||= settled?.continues ?? false;
		}
		return { ...all, continues: all.continues && all.messages.length > 0 };
	}

	async headers(base: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
		const watches = this.#activeWatches();
		if (watches.length === 0) return base;
		const headers: Record<string, string | null> = { ...base };
		for (const watch of watches) await quiet(watch.onHeaders(headers));
		return Object.fromEntries(
			Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
		);
	}

	#activeWatches(): RequestWatch[] {
		return [...this.requests].filter((watch) => watch.isActive());
	}

	/** The first that stops it or writes the summary decides. */
	async beforeCompaction(about: CompactionAbout): Promise<CompactionChange> {
		const change: CompactionChange = {};
		for (const hook of this.compactions) {
			Object.assign(change, await quiet(hook.before(about)));
			if (change.cancel || change.compaction) break;
		}
		return change;
	}

	async afterCompaction(entryId: string, isOwn: boolean): Promise<void> {
		for (const hook of this.compactions) await quiet(hook.after(entryId, isOwn));
	}

	selected(selection: Selection): void {
		for (const listener of this.selections) listener(selection);
	}
}

class Hooks<T> implements Iterable<T> {
	readonly #all = new Set<T>();

	get isEmpty(): boolean {
		return this.#all.size === 0;
	}

	add(one: T): Disposable {
		this.#all.add(one);
		return onDispose(() => this.#all.delete(one));
	}

	[Symbol.iterator](): Iterator<T> {
		return this.#all.values();
	}
}

async function quiet<T>(work: Promise<T>, otherwise?: T): Promise<T | undefined> {
	try {
		return await work;
	} catch (error) {
		// It is for the user, who gets the prompt back.
		if (error instanceof UserError) throw error;
		log.error("a request hook of a behavior failed", { reason: String(error) });
		return otherwise;
	}
}

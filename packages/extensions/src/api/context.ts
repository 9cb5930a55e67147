/** Makes the context that the handlers, tools and commands of one extension are called with. */
import { scopeOf } from "@tau/config/models";

import { ephemeralTurn } from "./ephemeral-turn.ts";
import type { DialogKind } from "./event-types.ts";
import type { Extension } from "./extension.ts";
import { jobSnapshot } from "./job-snapshot.ts";
import { ModelAccess } from "../providers/model-access.ts";
import type { ExtensionMode, SessionControl } from "./mode.ts";
import type { Runtime } from "../host/runtime.ts";
import type { BoundSession } from "./extension-session.ts";
import type {
	CompactOptions,
	ExtensionCommandContext,
	ExtensionContext,
	ModelQuery,
	Replaced,
	ReplacedSessionContext,
	WithSession,
} from "./types.ts";
import { countedUI } from "../ui/counted.ts";

export interface ContextParts {
	extension: Extension;
	runtime: Runtime;
	/** Throws when there is no session. */
	bound(): BoundSession;
	mode(): ExtensionMode;
	/** The context of the session that has replaced this one. */
	replaced(): ReplacedSessionContext;
	/** The system prompt as the handlers of `before_agent_start` have left it so far. */
	pendingPrompt(): string | undefined;
	isTrusted(): boolean;
	/** Called when a dialog starts or stops waiting for the user. */
	onDialog(type: "ui_prompt_start" | "ui_prompt_end", kind: DialogKind, title: string | undefined): void;
	/** What a timer threw. */
	onError(event: string, error: unknown): void;
}

export function createContext(parts: ContextParts): ExtensionContext {
	const { extension, runtime, mode } = parts;
	const bound = (): BoundSession => {
		runtime.assertActive();
		return parts.bound();
	};
	const hasPending = (): boolean => {
		const { steering, followUps } = bound().session.state;
		return steering.length + followUps.length > 0;
	};
	return {
		get ui() {
			return countedUI(mode().ui, extension, (...dialog) => parts.onDialog(...dialog));
		},
		get hasUI() {
			return mode().hasUI;
		},
		get mode() {
			return mode().kind;
		},
		get cwd() {
			return parts.bound().cwd;
		},
		get sessionManager() {
			return bound().log;
		},
		get modelRegistry() {
			const { registry, credentials, stream } = bound();
			return new ModelAccess({
				registry,
				credentials,
				stream,
				registerProvider: (name, config) => runtime.actions.registerProvider(name, config),
				unregisterProvider: (name) => runtime.actions.unregisterProvider(name),
				registerVirtualModel: (definition) => runtime.actions.registerVirtualModel(definition),
				unregisterVirtualModel: (provider, id) => runtime.actions.unregisterVirtualModel(provider, id),
			});
		},
		get model() {
			return bound().session.model;
		},
		get models() {
			return modelQuery(bound());
		},
		get scopedModels() {
			const { registry } = bound();
			const { models } = scopeOf(registry.settings.enabledModels, registry);
			return models.map(({ model, thinking }) =>
				thinking === undefined ? { model } : { model, thinkingLevel: thinking },
			);
		},
		get thinkingLevel() {
			return bound().session.state.thinkingLevel;
		},
		isProjectTrusted: () => parts.isTrusted(),
		get signal() {
			return bound().session.signal;
		},
		isIdle: () => !bound().session.isAnswering,
		abort: () => bound().session.abort(),
		hasPendingMessages: hasPending,
		hasQueuedMessages: hasPending,
		shutdown: () => mode().shutdown(),
		getContextUsage() {
			const { tokens, contextWindow } = bound().session.contextUsage();
			return { tokens, contextWindow, percent: contextWindow > 0 ? (tokens / contextWindow) * 100 : null };
		},
		compact: (options) =>
			compact(bound(), typeof options === "string" ? { customInstructions: options } : options),
		agent: { kind: "main", id: "Main", name: "main", depth: 0 },
		getAsyncJobSnapshot: () => jobSnapshot(bound().env),
		runEphemeralTurn: (options) => ephemeralTurn(bound(), options),
		getSystemPrompt: () => parts.pendingPrompt() ?? bound().session.state.systemPrompt,
		...timers(parts),
	};
}

function timers({
	runtime,
	onError,
}: ContextParts): Pick<ExtensionContext, "setTimeout" | "setInterval" | "clearTimer"> {
	const guarded = (callback: () => unknown) => async (): Promise<void> => {
		try {
			await callback();
		} catch (error) {
			onError("timer", error);
		}
	};
	return {
		setTimeout: (callback, ms = 0) => runtime.timers.once(ms, () => void guarded(callback)()),
		setInterval: (callback, ms = 0) => runtime.timers.every(ms, () => void guarded(callback)()),
		// Bun ends both kinds with the one call, as Node does.
		clearTimer: (timer) => clearTimeout(timer),
	};
}

function modelQuery({ registry, session }: BoundSession): ModelQuery {
	return {
		list: () => registry.available(),
		current: () => session.model,
		resolve: (spec) => registry.find(spec) ?? scopeOf([spec], registry).models[0]?.model,
	};
}

async function compact({ session }: BoundSession, options: CompactOptions = {}): Promise<void> {
	try {
		const result = await session.compact(options.customInstructions);
		options.onComplete?.(result);
	} catch (error) {
		options.onError?.(error instanceof Error ? error : new Error(String(error)));
	}
}

export function createCommandContext(parts: ContextParts): ExtensionCommandContext {
	const { runtime, mode } = parts;
	const control = (): SessionControl => {
		runtime.assertActive();
		const there = mode().control;
		if (!there) throw new Error("The session cannot be replaced in this mode.");
		return there;
	};
	const then = async (isDone: boolean, { withSession }: WithSession = {}): Promise<Replaced> => {
		if (isDone) await withSession?.(parts.replaced());
		return { cancelled: !isDone };
	};
	return extended(createContext(parts), {
		getSystemPromptOptions: () => parts.bound().promptOptions(),
		waitForIdle: () => {
			runtime.assertActive();
			return parts.bound().session.waitForIdle();
		},
		newSession: async (options = {}) => then(await control().newSession(options), options),
		switchSession: async (path, options) => then(await control().switchSession(path), options),
		fork: async (entryId, options = {}) =>
			then(await control().fork(entryId, options.position ?? "before"), options),
		branch: async (entryId) => then(await control().fork(entryId, "before")),
		navigateTree: async (targetId, options = {}) => then(await control().navigateTree(targetId, options)),
		reload: () => control().reload(),
	} satisfies Omit<ExtensionCommandContext, keyof ExtensionContext>);
}

export function createReplacedContext(parts: ContextParts): ReplacedSessionContext {
	const { runtime, extension } = parts;
	return extended(createCommandContext(parts), {
		sendMessage: (message, options) => runtime.actions.sendMessage(message, options, extension),
		sendUserMessage: (content, options) => runtime.actions.sendUserMessage(content, options, extension),
	} satisfies Omit<ReplacedSessionContext, keyof ExtensionCommandContext>);
}

/** Keeps what is looked up each time: a copy would hold what was true when it was made. */
function extended<A extends object, B extends object>(base: A, more: B): A & B {
	return Object.defineProperties(base, Object.getOwnPropertyDescriptors(more)) as A & B;
}

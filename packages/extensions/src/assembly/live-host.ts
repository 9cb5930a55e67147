/** A session of the command line that can be exchanged for another, with the models of this machine. */
import type { Model } from "@tau/ai";
import { type Env, UsageError } from "@tau/utils";
import {
	autoRetry,
	type AgentSession,
	type AgentSessionOptions,
	type RetryHelp,
	type RetrySettings,
	type SessionManager,
} from "@tau/session";
import {
	type ModelRegistry,
	selector,
	scopeOf,
	type ScopedModel,
	type UsableModels,
	chooseModel,
} from "@tau/session/models";
import type { LiveSession } from "@tau/session/run";

import type { Extensions } from "../host/extensions.ts";

export interface LiveHostParts {
	/** Patterns of the models to choose among; by default those of the settings. */
	models?: readonly string[] | undefined;
	registry: ModelRegistry;
	log: SessionManager;
	/** How failed turns are tried again. */
	retry: { settings: RetrySettings; help: RetryHelp };
	/** What commands are run with. */
	env: Env;
	extensions?: Extensions | undefined;
	/** Makes a session on the log as it is now. */
	create(more: Partial<AgentSessionOptions>): AgentSession;
}

export class LiveHost implements LiveSession, AsyncDisposable {
	readonly #parts: LiveHostParts;
	readonly #retry: RetrySettings;
	readonly models: UsableModels;
	#session: AgentSession;
	#sessionId = "";
	/** Sessions that were left, with what they own: a shell takes a moment to end. */
	#leaving: Promise<unknown> = Promise.resolve();

	constructor(parts: LiveHostParts) {
		this.#parts = parts;
		this.#retry = { ...parts.retry.settings };
		this.models = modelsOf(parts);
		this.#session = this.#create({});
	}

	get session(): AgentSession {
		return this.#session;
	}

	get log(): SessionManager {
		return this.#parts.log;
	}

	get extensions(): Extensions | undefined {
		return this.#parts.extensions;
	}

	get env(): Env {
		return this.#parts.env;
	}

	get isAutoRetryOn(): boolean {
		return this.#retry.enabled ?? true;
	}

	set isAutoRetryOn(enabled: boolean) {
		this.#retry.enabled = enabled;
	}

	reopen(): void {
		const left = this.#session;
		const { model, thinkingLevel: thinking, steeringMode, followUpMode } = left.state;
		const isSame = this.#sessionId === this.log.getSessionId();
		// What a step in the tree leaves was paid for all the same.
		const usage = isSame ? { usage: left.usage } : {};
		this.#session = this.#create({ model, thinking, steeringMode, followUpMode, ...usage });
		// What the user has switched off in this session stays off.
		if (isSame) this.#session.tools?.hide("user", left.tools?.hidden("user") ?? []);
		this.#leaving = Promise.allSettled([this.#leaving, left[Symbol.asyncDispose]()]);
	}

	/** Resolves when everything that the sessions own has ended. */
	async [Symbol.asyncDispose](): Promise<void> {
		await this.#parts.extensions?.[Symbol.asyncDispose]();
		await Promise.allSettled([this.#leaving, this.#session[Symbol.asyncDispose]()]);
	}

	#create(more: Partial<AgentSessionOptions>): AgentSession {
		this.#sessionId = this.log.getSessionId();
		const { messages } = this.log.buildSessionContext();
		return this.#parts.create({
			...more,
			messages,
			behaviors: [autoRetry(this.#retry, this.#parts.retry.help)],
		});
	}
}

function modelsOf({ models, registry }: LiveHostParts): UsableModels {
	let scope: readonly ScopedModel[] | undefined;
	return {
		available: () => registry.available(),
		scoped: () => {
			scope ??= scopeOf(models ?? registry.settings.enabledModels, registry).models;
			return scope;
		},
		ready: async (provider, id): Promise<Model> => {
			const asked = `${provider}/${id}`;
			const { model } = await chooseModel({ model: asked }, registry, process.env);
			// A person may be vague; who names a provider and an id means that model.
			if (selector(model).toLowerCase() !== asked.toLowerCase())
				throw new UsageError(`Model not found: ${asked}. Did you mean ${selector(model)}?`);
			return model;
		},
	};
}

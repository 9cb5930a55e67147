/** Runs RPC mode: gives it a session that it can exchange for another, and the models of this machine. */
import type { Model } from "@tau/ai";
import type { Env } from "@tau/utils";

import type { ModelRegistry } from "../config/model-registry.ts";
import { selector } from "../config/model-resolver.ts";
import { scopeOf, type ScopedModel } from "../config/model-scope.ts";
import { processOutput } from "../modes/output.ts";
import {
	compactionOf,
	runRpc,
	type RpcCompaction,
	type RpcHost,
	type RpcModels,
} from "../modes/rpc/index.ts";
import {
	autoRetry,
	type AgentSession,
	type AgentSessionOptions,
	type CompactionSettings,
	type RetryHelp,
	type RetrySettings,
	type SessionManager,
} from "../session/index.ts";
import { UsageError, type Args } from "./args.ts";
import { chooseModel, modelRequest } from "./choose-model.ts";
import { complain } from "./complain.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Interruption } from "./signals.ts";

export interface RpcParts {
	args: Args;
	registry: ModelRegistry;
	log: SessionManager;
	/** How failed turns are tried again. */
	retry: { settings: RetrySettings; help: RetryHelp };
	/** What the sessions are made with; `enabled` may be switched. */
	compaction: CompactionSettings;
	/** What commands are run with. */
	env: Env;
	interruption: Interruption;
	/** Makes a session on the log as it is now. */
	create(more: Partial<AgentSessionOptions>): AgentSession;
}

/** What a client says comes over standard input, and nothing comes before it. */
export function rejectPrompts({ messages, files }: Args): void {
	const [word] = [...messages, ...files.map((file) => `@${file}`)];
	if (word !== undefined)
		throw new UsageError(`--mode rpc takes no prompt ("${word}"): send it as a command on standard input.`);
}

export async function serveRpc(parts: RpcParts): Promise<number> {
	const gone = new AbortController();
	const out = processOutput(process.stdout, () => gone.abort());
	using host = new Host(parts);
	const signal = AbortSignal.any([parts.interruption.signal, gone.signal]);
	await runRpc({ host, input: Bun.stdin.stream(), out, signal });
	const problem = await out.settled();
	if (problem) complain(`the client cannot be written to: ${problem.message}`);
	return problem ? exitCodes.failed : (parts.interruption.exitCode ?? exitCodes.answered);
}

class Host implements RpcHost, Disposable {
	readonly #parts: RpcParts;
	readonly #retry: RetrySettings;
	readonly models: RpcModels;
	readonly compaction: RpcCompaction;
	#session: AgentSession;

	constructor(parts: RpcParts) {
		this.#parts = parts;
		this.#retry = { ...parts.retry.settings };
		this.models = modelsOf(parts);
		this.compaction = compactionOf(parts.compaction, () => this.#session);
		this.#session = this.#create({});
	}

	get session(): AgentSession {
		return this.#session;
	}

	get log(): SessionManager {
		return this.#parts.log;
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
		using left = this.#session;
		const { model, thinkingLevel: thinking, steeringMode, followUpMode } = left.state;
		this.#session = this.#create({ model, thinking, steeringMode, followUpMode });
	}

	[Symbol.dispose](): void {
		this.#session[Symbol.dispose]();
	}

	#create(more: Partial<AgentSessionOptions>): AgentSession {
		const { messages } = this.log.buildSessionContext();
		return this.#parts.create({
			...more,
			messages,
			behaviors: [autoRetry(this.#retry, this.#parts.retry.help)],
		});
	}
}

function modelsOf({ args, registry }: RpcParts): RpcModels {
	let scope: readonly ScopedModel[] | undefined;
	return {
		available: () => registry.available(),
		scoped: () => {
			scope ??= scopeOf(modelRequest(args).models ?? registry.settings.enabledModels, registry).models;
			return scope;
		},
		ready: async (provider, id): Promise<Model> => {
			const asked = `${provider}/${id}`;
			const { model } = await chooseModel({ model: asked }, registry, process.env);
			// A person may be vague; a program names the model that it means.
			if (selector(model).toLowerCase() !== asked.toLowerCase())
				throw new UsageError(`Model not found: ${asked}. Did you mean ${selector(model)}?`);
			return model;
		},
	};
}

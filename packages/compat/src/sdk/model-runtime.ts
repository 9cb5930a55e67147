/** What newer programs of pi use instead of a registry: the models, asked by the same object that knows their keys. */
import type {
	AssistantMessage,
	AssistantMessageEventStream,
	Context,
	Model,
	StreamOptions,
	ThinkingLevel,
} from "@tau/ai";
import type { ExtensionProvider } from "@tau/extensions/api";
import { resolveModel, scopeOf } from "@tau/config/models";

import { AuthStorage } from "./auth-storage.ts";
import { ModelRegistry } from "./model-registry.ts";

export interface CreateModelRuntimeOptions {
	authPath?: string;
	/** Null for no file. */
	modelsPath?: string | null;
}

export class ModelRuntime {
	/** The same models, by the older way. */
	readonly registry: ModelRegistry;

	private constructor(registry: ModelRegistry) {
		this.registry = registry;
	}

	static async create({ authPath, modelsPath }: CreateModelRuntimeOptions = {}): Promise<ModelRuntime> {
		const auth = AuthStorage.create(authPath);
		await auth.ready();
		return new ModelRuntime(
			modelsPath === null ? ModelRegistry.inMemory(auth) : ModelRegistry.create(auth, modelsPath),
		);
	}

	getProviders(): readonly { id: string; name: string }[] {
		return this.registry.registry.providerIds().flatMap((id) => this.registry.getProvider(id) ?? []);
	}

	getProvider(id: string): { id: string; name: string } | undefined {
		return this.registry.getProvider(id);
	}

	getModels(provider?: string): readonly Model[] {
		return provider === undefined ? this.registry.getAll() : this.registry.registry.of(provider);
	}

	getModel(provider: string, id: string): Model | undefined {
		return this.registry.find(provider, id);
	}

	async getAvailable(provider?: string): Promise<readonly Model[]> {
		await this.registry.authStorage.ready();
		return this.getAvailableSnapshot().filter(
			(model) => provider === undefined || model.provider === provider,
		);
	}

	getAvailableSnapshot(): readonly Model[] {
		return this.registry.getAvailable();
	}

	getError(): string | undefined {
		return this.registry.getError();
	}

	hasConfiguredAuth(provider: string): boolean {
		return this.registry.getProviderAuthStatus(provider).configured;
	}

	isUsingOAuth(provider: string): boolean {
		return this.registry.authStorage.get(provider)?.type === "oauth";
	}

	getProviderAuthStatus(provider: string): { configured: boolean; source?: string } {
		return this.registry.getProviderAuthStatus(provider);
	}

	/** The credentials of a request; undefined without a key. */
	async getAuth(
		of: string | Model,
	): Promise<{ apiKey?: string; headers?: Record<string, string> } | undefined> {
		const model = typeof of === "string" ? this.getModels(of)[0] : of;
		const auth = model && (await this.registry.getApiKeyAndHeaders(model));
		if (!auth?.ok) return undefined;
		const { ok: _, ...access } = auth;
		return access;
	}

	async setRuntimeApiKey(provider: string, apiKey: string): Promise<void> {
		this.registry.authStorage.setRuntimeApiKey(provider, apiKey);
	}

	async removeRuntimeApiKey(provider: string): Promise<void> {
		this.registry.authStorage.removeRuntimeApiKey(provider);
	}

	async listCredentials(): Promise<{ providerId: string; type: string }[]> {
		await this.registry.authStorage.ready();
		return Object.entries(this.registry.authStorage.getAll()).map(([providerId, { type }]) => ({
			providerId,
			type,
		}));
	}

	async logout(provider: string): Promise<void> {
		this.registry.authStorage.logout(provider);
	}

	stream(model: Model, context: Context, options?: StreamOptions): AssistantMessageEventStream {
		return this.registry.stream(model, context, options);
	}

	streamSimple(model: Model, context: Context, options?: StreamOptions): AssistantMessageEventStream {
		return this.registry.stream(model, context, options);
	}

	complete(model: Model, context: Context, options?: StreamOptions): Promise<AssistantMessage> {
		return this.registry.complete(model, context, options);
	}

	completeSimple(model: Model, context: Context, options?: StreamOptions): Promise<AssistantMessage> {
		return this.registry.complete(model, context, options);
	}

	getRegisteredProviderIds(): readonly string[] {
		return this.registry.getRegisteredProviderIds();
	}

	async refresh(): Promise<void> {
		this.registry.refresh();
	}

	registerProvider(name: string, config: ExtensionProvider): void {
		this.registry.registerProvider(name, config);
	}

	unregisterProvider(name: string): void {
		this.registry.unregisterProvider(name);
	}
}

/** pi's error for a state that Tau cannot be in: models and keys come from one source. */
export class CredentialSynchronizationError extends Error {
	readonly providerId: string;
	readonly operation: string;
	readonly credential: unknown;

	constructor(providerId: string, operation: string, credential: unknown, options?: ErrorOptions) {
		super(`The models did not follow ${operation} of ${providerId}.`, options);
		this.name = "CredentialSynchronizationError";
		this.providerId = providerId;
		this.operation = operation;
		this.credential = credential;
	}
}

/** A model as `--provider` and `--model` name it. */
export function resolveCliModel(options: {
	cliProvider?: string;
	cliModel?: string;
	cliThinking?: ThinkingLevel;
	modelRuntime: Pick<ModelRuntime, "getModels">;
}): {
	model: Model | undefined;
	thinkingLevel?: ThinkingLevel;
	warning: undefined;
	error: string | undefined;
} {
	const { cliProvider, cliModel, cliThinking, modelRuntime } = options;
	const none = { model: undefined, warning: undefined, error: undefined };
	if (cliModel === undefined) return none;
	const resolved = resolveModel(cliModel, modelRuntime.getModels(cliProvider));
	if (!resolved.ok) return { ...none, error: resolved.message };
	const thinkingLevel = cliThinking ?? resolved.thinking;
	return { ...none, model: resolved.model, ...(thinkingLevel ? { thinkingLevel } : {}) };
}

/** The models that patterns allow, as `--models` takes them. */
export async function resolveModelScopeWithDiagnostics(
	patterns: readonly string[],
	{ registry }: Pick<ModelRuntime, "registry">,
): Promise<{
	scopedModels: { model: Model; thinkingLevel?: ThinkingLevel }[];
	diagnostics: { type: "warning"; code: "no-match"; message: string; pattern: string }[];
}> {
	const scopes = patterns.map((pattern) => ({ pattern, scope: scopeOf([pattern], registry.registry) }));
	return {
		scopedModels: scopes.flatMap(({ scope }) =>
			scope.models.map(({ model, thinking }) => ({
				model,
				...(thinking ? { thinkingLevel: thinking } : {}),
			})),
		),
		diagnostics: scopes.flatMap(({ pattern, scope }) =>
			scope.problems.map((message) => ({
				type: "warning" as const,
				code: "no-match" as const,
				message,
				pattern,
			})),
		),
	};
}

/** pi's ModelRegistry for extensions that make one of their own: all models, and the keys to ask them. */
import {
	providerOf,
	type AssistantMessage,
	type AssistantMessageEventStream,
	type Context,
	type Model,
	type StreamOptions,
} from "@tau/ai";
import { dirs } from "@tau/utils";
import type { ExtensionProvider } from "@tau/extensions/api";
import {
	laterStream,
	noKey,
	registerProvider,
	streamInScope,
	unregisterProvider,
} from "@tau/extensions/providers";
import { ModelRegistry as Registry } from "@tau/config/models";

import { currentApplication } from "../application.ts";
import { AuthStorage } from "./auth-storage.ts";
import { modelsFileIn, readModelsFile } from "./models-file.ts";

type RequestAuth =
	{ ok: true; apiKey?: string; headers?: Record<string, string> } | { ok: false; error: string };

export class ModelRegistry {
	readonly authStorage: AuthStorage;
	readonly #path: string | undefined;
	readonly #isLent: boolean;
	readonly #providers = new Map<string, ExtensionProvider>();
	#registry: Registry;
	#error: string | undefined;

	/** Without a path: the file of models that Tau reads; with null: no file. */
	constructor(
		authStorage: AuthStorage,
		modelsPath: string | null = modelsFileIn(dirs().agent),
		lent?: Registry,
	) {
		this.authStorage = authStorage;
		this.#path = modelsPath ?? undefined;
		this.#isLent = lent !== undefined;
		this.#registry = lent ?? this.#read();
	}

	static create(authStorage: AuthStorage = AuthStorage.create(), modelsJsonPath?: string): ModelRegistry {
		return new ModelRegistry(authStorage, modelsJsonPath);
	}

	/** What is built in, and nothing else. */
	static inMemory(authStorage: AuthStorage): ModelRegistry {
		return new ModelRegistry(authStorage, null);
	}

	/** The models of the session that an extension is part of, with the providers that others have registered there. */
	static over(registry: Registry, authStorage: AuthStorage): ModelRegistry {
		return new ModelRegistry(authStorage, null, registry);
	}

	/** Tau's own, for a session that is made with it. */
	get registry(): Registry {
		return this.#registry;
	}

	/** Reads the file again, where there is one. */
	refresh(): void {
		if (this.#isLent) return;
		this.#registry = this.#read();
		for (const [name, config] of this.#providers) registerProvider(this.#registry, name, config);
	}

	getError(): string | undefined {
		return this.#error ?? this.#registry.fileProblems;
	}

	getAll(): Model[] {
		return [...this.#registry.all()];
	}

	getAvailable(): Model[] {
		return this.getAll().filter((model) => this.hasConfiguredAuth(model));
	}

	/** By provider and id, or by `provider/id`. */
	find(provider: string, modelId?: string): Model | undefined {
		return this.#registry.find(modelId === undefined ? provider : `${provider}/${modelId}`);
	}

	hasConfiguredAuth(model: Model): boolean {
		return this.authStorage.hasAuth(model.provider) || this.#registry.isAvailable(model);
	}

	async getApiKeyAndHeaders(model: Model): Promise<RequestAuth> {
		try {
			const key = await this.authStorage.getApiKey(model.provider);
			const problem = key === undefined ? await this.#registry.unlock(model.provider) : undefined;
			if (problem !== undefined) return { ok: false, error: problem };
			const { apiKey, headers } = this.#registry.credentials(model, key);
			const isMissing = apiKey === undefined && Object.keys(headers).length === 0;
			const missing = isMissing ? this.#registry.whyNot(model.provider) : undefined;
			if (missing !== undefined) return { ok: false, error: `${model.provider} needs ${missing}.` };
			return { ok: true, headers, ...(apiKey === undefined ? {} : { apiKey }) };
		} catch (error) {
			return { ok: false, error: error instanceof Error ? error.message : String(error) };
		}
	}

	/** omp's and an older pi's name: the key alone. */
	async getApiKey(model: Model): Promise<string | undefined> {
		return this.getApiKeyForProvider(model.provider);
	}

	async getApiKeyForProvider(provider: string): Promise<string | undefined> {
		const key = (await this.authStorage.getApiKey(provider)) ?? this.#registry.apiKey(provider);
		// A provider that needs no key has one all the same, for code that asks for it first.
		const isKeyless = this.#registry.providerIds().includes(provider) && !this.#registry.whyNot(provider);
		return key ?? (isKeyless ? noKey : undefined);
	}

	getProvider(id: string): { id: string; name: string } | undefined {
		const isThere = this.#registry.providerIds().includes(id);
		return isThere ? { id, name: this.getProviderDisplayName(id) } : undefined;
	}

	/** What a request to the provider would be sent with; undefined where it has no key and no login. */
	async getProviderAuth(
		provider: string,
	): Promise<{ auth: Omit<RequestAuth & { ok: true }, "ok"> } | undefined> {
		const [model] = this.#registry.of(provider);
		if (!model || !this.hasConfiguredAuth(model)) return undefined;
		return { auth: await this.#access(model) };
	}

	/** All models of Tau's catalogue are of the type `chat`. */
	getModelsOfType(type: string, provider?: string): readonly Model[] {
		if (type !== "chat") return [];
		return provider === undefined ? this.getAll() : [...this.#registry.of(provider)];
	}

	async getAvailableOfType(type: string, provider?: string): Promise<readonly Model[]> {
		return this.getModelsOfType(type, provider).filter((model) => this.hasConfiguredAuth(model));
	}

	getModelOfType(type: string, provider: string, id: string): Model | undefined {
		return type === "chat" ? this.find(provider, id) : undefined;
	}

	findOfType(type: string, provider: string, id: string): Model | undefined {
		return this.getModelOfType(type, provider, id);
	}

	getRegisteredProviderIds(): readonly string[] {
		return [...this.#providers.keys()];
	}

	getRegisteredProviderConfig(id: string): ExtensionProvider | undefined {
		return this.#providers.get(id);
	}

	/** With the key that it knows; what goes wrong on the way ends the answer. */
	stream(model: Model, context: Context, options: StreamOptions = {}): AssistantMessageEventStream {
		return laterStream(model, async () =>
			streamInScope(model, context, { ...(await this.#access(model)), ...options }),
		);
	}

	streamSimple(model: Model, context: Context, options?: StreamOptions): AssistantMessageEventStream {
		return this.stream(model, context, options);
	}

	complete(model: Model, context: Context, options?: StreamOptions): Promise<AssistantMessage> {
		return this.stream(model, context, options).result();
	}

	getProviderAuthStatus(provider: string): { configured: boolean; source?: string } {
		const status = this.authStorage.getAuthStatus(provider);
		if (status.configured) return status;
		const isThere = this.#registry.config(provider)?.apiKey !== undefined;
		return isThere ? { configured: true, source: "models_json_key" } : status;
	}

	getProviderDisplayName(provider: string): string {
		return this.#providers.get(provider)?.name ?? providerOf(provider)?.id ?? provider;
	}

	isUsingOAuth(model: Model): boolean {
		return this.authStorage.get(model.provider)?.type === "oauth";
	}

	registerProvider(name: string, config: ExtensionProvider): void {
		registerProvider(this.#registry, name, config);
		this.#providers.set(name, { ...this.#providers.get(name), ...config });
	}

	unregisterProvider(name: string): void {
		this.#providers.delete(name);
		unregisterProvider(this.#registry, name);
	}

	async #access(model: Model): Promise<{ apiKey?: string; headers?: Record<string, string> }> {
		const auth = await this.getApiKeyAndHeaders(model);
		if (!auth.ok) throw new Error(auth.error);
		const { ok: _, ...access } = auth;
		return access;
	}

	#read(): Registry {
		const empty = { path: "", providers: new Map(), problems: [] };
		const { file, error } = this.#path === undefined ? { file: empty } : readModelsFile(this.#path);
		this.#error = error;
		const application = currentApplication();
		return new Registry(file, process.env, {
			isStored: (provider) => {
				const { source } = this.authStorage.getAuthStatus(provider);
				return source !== undefined && source !== "environment";
			},
			hasLogin: (provider) => this.authStorage.get(provider)?.type === "oauth",
			...(application ? { fallback: application.fallbackModel } : {}),
		});
	}
}

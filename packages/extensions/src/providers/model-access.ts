/** The models as extensions know them: pi's registry by its names, over ours. */
import {
	type Access,
	providerOf,
	type AssistantMessage,
	type AssistantMessageEventStream,
	type Context,
	type Model,
	type StreamFunction,
} from "@tau/ai";
import type { ModelRegistry } from "@tau/config/models";

import { laterStream } from "./later-stream.ts";
import { bearerOf, noKey, realKey } from "./no-key.ts";
import { commonOptions, type ProtocolOptions } from "./protocol-options.ts";
import { fromNative, isNative, nativeOf, type NativeProvider } from "./native-provider.ts";
import { providerLabel, registeredProviders } from "./providers.ts";
import type { VirtualModelDefinition } from "./virtual-models.ts";
import type { ExtensionProvider } from "../api/provider-types.ts";

export type RequestAuth =
	{ ok: true; apiKey?: string; headers?: Record<string, string> } | { ok: false; error: string };

export interface AuthAccess {
	getApiKey(provider: string): Promise<string | undefined>;
	hasAuth(provider: string): boolean;
	getAuthStatus(provider: string): { configured: boolean; label?: string };
	/** For this run only. */
	setRuntimeApiKey(provider: string, key: string): void;
}

export interface ModelAccessParts {
	registry: ModelRegistry;
	/** What a request to the model would be sent with. */
	credentials(model: Model): Promise<Access>;
	stream: StreamFunction;
	registerProvider(name: string, config: ExtensionProvider): void;
	unregisterProvider(name: string): void;
	registerVirtualModel(definition: VirtualModelDefinition): void;
	unregisterVirtualModel(provider: string, id: string): void;
}

/** A provider as pi describes one, as far as it can be read. */
export interface ProviderView {
	id: string;
	name: string;
	baseUrl?: string;
	getModels(): readonly Model[];
}

export class ModelAccess {
	readonly #parts: ModelAccessParts;

	constructor(parts: ModelAccessParts) {
		this.#parts = parts;
	}

	/** Tau's own, for sessions that an extension makes with it. */
	get registry(): ModelRegistry {
		return this.#parts.registry;
	}

	getAll(): Model[] {
		return [...this.#parts.registry.all()];
	}

	getAvailable(): Model[] {
		return this.#parts.registry.available();
	}

	/** By provider and id, or by `provider/id`. */
	find(provider: string, id?: string): Model | undefined {
		return this.#parts.registry.find(id === undefined ? provider : `${provider}/${id}`);
	}

	hasConfiguredAuth(model: Model): boolean {
		return this.#parts.registry.isAvailable(model);
	}

	async getApiKeyAndHeaders(model: Model): Promise<RequestAuth> {
		try {
			const { headers, ...access } = await this.#parts.credentials(model);
			const apiKey = access.apiKey ?? bearerOf(headers) ?? this.#withoutKey(model);
			return {
				ok: true,
				...(apiKey === undefined ? {} : { apiKey }),
				...(headers ? { headers } : {}),
			};
		} catch (error) {
			return { ok: false, error: error instanceof Error ? error.message : String(error) };
		}
	}

	/** A server of one's own needs no key, and what a login gives goes into headers. */
	#withoutKey({ provider }: Model): string | undefined {
		return this.#parts.registry.whyNot(provider) === undefined ? noKey : undefined;
	}

	async getApiKey(model: Model): Promise<string | undefined> {
		const auth = await this.getApiKeyAndHeaders(model);
		return auth.ok ? auth.apiKey : undefined;
	}

	async getApiKeyForProvider(provider: string): Promise<string | undefined> {
		const [model] = this.#parts.registry.of(provider);
		return model ? this.getApiKey(model) : this.#parts.registry.apiKey(provider);
	}

	getProviderDisplayName(provider: string): string {
		const { registry } = this.#parts;
		return providerLabel(registry, provider) ?? providerOf(provider)?.label ?? provider;
	}

	/** Whether there is a key or a login, and what to do if there is none. */
	getProviderAuthStatus(provider: string): { configured: boolean; label?: string } {
		const missing = this.#parts.registry.whyNot(provider);
		return missing === undefined ? { configured: true } : { configured: false, label: missing };
	}

	/** What older extensions ask here: keys that can be had. What is stored is read through no extension. */
	get authStorage(): AuthAccess {
		return {
			getApiKey: (provider) => this.getApiKeyForProvider(provider),
			hasAuth: (provider) => this.getProviderAuthStatus(provider).configured,
			getAuthStatus: (provider) => this.getProviderAuthStatus(provider),
			setRuntimeApiKey: (provider, key) => {
				if (key !== noKey) this.#parts.registry.setRuntimeKey({ provider }, key);
			},
		};
	}

	isUsingOAuth({ provider }: Model): boolean {
		return this.#parts.registry.hasLogin(provider);
	}

	getProviderModels(provider: string): Model[] {
		return [...this.#parts.registry.of(provider)];
	}

	getProviderBaseUrl(provider: string): string | undefined {
		return this.#parts.registry.of(provider)[0]?.baseUrl;
	}

	hasProvider(provider: string): boolean {
		return this.#parts.registry.providerIds().includes(provider);
	}

	/** What there is is always current: files are read at the start, servers by `/model`. */
	async refresh(): Promise<{ aborted: boolean; errors: Map<string, Error> }> {
		return { aborted: false, errors: new Map() };
	}

	/** The problems of `models.yml`, which were also reported when it was read. */
	getError(): string | undefined {
		return this.#parts.registry.fileProblems;
	}

	/** Uses the user's keys and logins, like a request of the session. */
	stream(model: Model, context: Context, options: ProtocolOptions = {}): AssistantMessageEventStream {
		return laterStream(model, async () => {
			const { apiKey, headers, baseUrl } = await this.#parts.credentials(model);
			const { apiKey: _, ...rest } = commonOptions(options);
			const key = realKey(options) ?? apiKey;
			return this.#parts.stream(baseUrl === undefined ? model : { ...model, baseUrl }, context, {
				...rest,
				...(key === undefined ? {} : { apiKey: key }),
				headers: { ...headers, ...options.headers },
			});
		});
	}

	streamSimple(model: Model, context: Context, options?: ProtocolOptions): AssistantMessageEventStream {
		return this.stream(model, context, options);
	}

	complete(model: Model, context: Context, options?: ProtocolOptions): Promise<AssistantMessage> {
		return this.stream(model, context, options).result();
	}

	getProvider(id: string): ProviderView | undefined {
		if (!this.hasProvider(id)) return undefined;
		const baseUrl = this.getProviderBaseUrl(id);
		return {
			id,
			name: this.getProviderDisplayName(id),
			...(baseUrl === undefined ? {} : { baseUrl }),
			getModels: () => this.getProviderModels(id),
		};
	}

	/** What a request to the provider would be sent with; undefined where it has no key and no login. */
	async getProviderAuth(provider: string): Promise<{ auth: Access } | undefined> {
		const [model] = this.#parts.registry.of(provider);
		if (!model || !this.hasConfiguredAuth(model)) return undefined;
		return { auth: await this.#parts.credentials(model) };
	}

	/** All models of Tau's catalogue are of the type `chat`. */
	getModelsOfType(type: string, provider?: string): readonly Model[] {
		if (type !== "chat") return [];
		return provider === undefined ? this.getAll() : this.getProviderModels(provider);
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
		return [...registeredProviders(this.#parts.registry).keys()];
	}

	/** The registered provider, if it was an object of pi's newer kind. */
	getRegisteredNativeProvider(name: string): NativeProvider | undefined {
		const config = this.getRegisteredProviderConfig(name);
		return config && nativeOf(config);
	}

	/** pi's question to models that classify texts; Tau's catalogue has none. */
	async classify(model: Model): Promise<never> {
		throw new Error(`${model.provider}/${model.id} cannot classify: Tau has no models of this type.`);
	}

	async generateImages(model: Model): Promise<never> {
		throw new Error(`${model.provider}/${model.id} cannot draw images: Tau has no models of this type.`);
	}

	getRegisteredProviderConfig(name: string): ExtensionProvider | undefined {
		return registeredProviders(this.#parts.registry).get(name);
	}

	registerProvider(given: string | NativeProvider, config: ExtensionProvider = {}): void {
		if (isNative(given)) this.#parts.registerProvider(given.id, fromNative(given));
		else this.#parts.registerProvider(given, config);
	}

	registerVirtualModel(definition: VirtualModelDefinition): void {
		this.#parts.registerVirtualModel(definition);
	}

	unregisterVirtualModel(provider: string, id: string): void {
		this.#parts.unregisterVirtualModel(provider, id);
	}

	unregisterProvider(name: string): void {
		this.#parts.unregisterProvider(name);
	}
}

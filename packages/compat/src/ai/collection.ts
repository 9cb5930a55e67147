/** pi's newer way to hold providers: a collection that authenticates, and calls the provider of a model. */
import type { AssistantMessage, AssistantMessageEventStream, Context, Model, StreamOptions } from "@tau/ai";
import type { OAuthCredentials } from "@tau/extensions/api";
import {
	laterStream,
	type AuthInteraction,
	type NativeProvider,
	type RequestAuth,
	defaultProviderAuthContext,
} from "@tau/extensions/providers";

import { plainContext } from "@tau/extensions/support";
import { InMemoryCredentialStore, ModelsError } from "./credentials.ts";

type Stream = (model: Model, context: Context, options?: StreamOptions) => AssistantMessageEventStream;
interface Streams {
	stream: Stream;
	streamSimple: Stream;
}

interface ProviderParts extends Omit<NativeProvider, "getModels" | "stream" | "streamSimple"> {
	models: readonly Model[];
	/** One for all models, or one for each protocol. */
	api?: Streams | Readonly<Record<string, Streams>>;
}

export function createProvider({ models, api, ...facts }: ProviderParts): NativeProvider {
	if (!api) throw new TypeError(`The provider ${facts.id} has no stream function.`);
	const streamsOf = (model: Model): Streams => {
		const streams = "streamSimple" in api ? (api as Streams) : api[model.api];
		if (streams) return streams;
		throw new ModelsError("provider", `The provider ${facts.id} does not support ${model.api}.`);
	};
	const ask =
		(name: keyof Streams): Stream =>
		(model, context, options) =>
			laterStream(model, async () => streamsOf(model)[name](model, context, options));
	return {
		name: facts.id,
		...facts,
		getModels: () => models,
		stream: ask("stream"),
		streamSimple: ask("streamSimple"),
	};
}

interface CollectionOptions {
	credentials?: InMemoryCredentialStore;
	authContext?: ReturnType<typeof defaultProviderAuthContext>;
}

export function createModels(options: CollectionOptions = {}): ModelCollection {
	return new ModelCollection(options);
}

class ModelCollection {
	readonly #providers = new Map<string, NativeProvider>();
	readonly #credentials: InMemoryCredentialStore;
	readonly #context: ReturnType<typeof defaultProviderAuthContext>;

	constructor({ credentials, authContext }: CollectionOptions) {
		this.#credentials = credentials ?? new InMemoryCredentialStore();
		this.#context = authContext ?? defaultProviderAuthContext();
	}

	setProvider(provider: NativeProvider): void {
		this.#providers.set(provider.id, provider);
	}

	deleteProvider(id: string): void {
		this.#providers.delete(id);
	}

	clearProviders(): void {
		this.#providers.clear();
	}

	getProviders(): NativeProvider[] {
		return [...this.#providers.values()];
	}

	getProvider(id: string): NativeProvider | undefined {
		return this.#providers.get(id);
	}

	getModels(provider?: string): Model[] {
		const nativeProviders = this.getProviders().filter(({ id }) => provider === undefined || id === provider);
		return nativeProviders.flatMap((each) => [...each.getModels()]);
	}

	getAllModels(provider?: string): Model[] {
		return this.getModels(provider);
	}

	getModel(provider: string, id: string): Model | undefined {
		return this.getModels(provider).find((model) => model.id === id);
	}

	/** Providers of this kind know their models without being asked again. */
	async refresh(): Promise<{ aborted: boolean; errors: Map<string, Error> }> {
		return { aborted: false, errors: new Map() };
	}

	async checkAuth(provider: string): Promise<{ type: "api_key" | "oauth" } | undefined> {
		const credential = await this.#credentials.read(provider);
		if (credential) return { type: credential.type };
		return (await this.getAuth(provider)) ? { type: "api_key" } : undefined;
	}

	async getAvailable(provider?: string): Promise<Model[]> {
		const models: Model[] = [];
		for (const each of this.getProviders()) {
			if (provider !== undefined && each.id !== provider) continue;
			if (await this.checkAuth(each.id)) models.push(...each.getModels());
		}
		return models;
	}

	/** Undefined if the provider is unknown, or has no stored or configured key. */
	async getAuth(about: string | Model): Promise<{ auth: RequestAuth } | undefined> {
		const id = typeof about === "string" ? about : about.provider;
		const { auth } = this.#providers.get(id) ?? {};
		const credential = await this.#credentials.read(id);
		if (credential?.type === "oauth" && auth?.oauth)
			return { auth: await auth.oauth.toAuth(await this.#fresh(id, auth.oauth)) };
		return auth?.apiKey?.resolve({
			ctx: this.#context,
			...(credential?.type === "api_key" ? { credential } : {}),
			signal: new AbortController().signal,
		});
	}

	async login(id: string, type: "api_key" | "oauth", interaction: AuthInteraction): Promise<unknown> {
		const { auth } = this.#providers.get(id) ?? {};
		const method = type === "oauth" ? auth?.oauth : auth?.apiKey;
		if (!method?.login) throw new ModelsError("auth", `The provider ${id} has no login of this kind.`);
		const given = await method.login(interaction);
		return this.#credentials.modify(id, async () => ({ ...given, type }));
	}

	async logout(id: string): Promise<void> {
		await this.#credentials.delete(id);
	}

	stream(model: Model, context: Context, options?: StreamOptions): AssistantMessageEventStream {
		return this.#ask("stream", model, context, options);
	}

	streamSimple(model: Model, context: Context, options?: StreamOptions): AssistantMessageEventStream {
		return this.#ask("streamSimple", model, context, options);
	}

	complete(model: Model, context: Context, options?: StreamOptions): Promise<AssistantMessage> {
		return this.stream(model, context, options).result();
	}

	completeSimple(model: Model, context: Context, options?: StreamOptions): Promise<AssistantMessage> {
		return this.streamSimple(model, context, options).result();
	}

	#ask(
		by: keyof Streams,
		model: Model,
		context: Context,
		options: StreamOptions = {},
	): AssistantMessageEventStream {
		return laterStream(model, async () => {
			const provider = this.#providers.get(model.provider);
			if (!provider) throw new ModelsError("provider", `There is no provider ${model.provider}.`);
			const { apiKey, headers, baseUrl }: RequestAuth =
				options.apiKey === undefined ? ((await this.getAuth(model))?.auth ?? {}) : { apiKey: options.apiKey };
			const asked = baseUrl === undefined ? model : { ...model, baseUrl };
			const ask = provider[by] ?? provider.streamSimple;
			return ask.call(provider, asked, plainContext(context), {
				...options,
				...(apiKey === undefined ? {} : { apiKey }),
				headers: { ...headers, ...options.headers },
			});
		});
	}

	/** Renewed under the lock of the store, so that two requests do not spend one token. */
	async #fresh(id: string, oauth: NonNullable<NativeProvider["auth"]["oauth"]>): Promise<OAuthCredentials> {
		const signal = new AbortController().signal;
		const kept = await this.#credentials.modify(id, async (current) => {
			const credential = current as (OAuthCredentials & { type: "oauth" }) | undefined;
			if (!credential || (credential.expires ?? Infinity) > Date.now()) return undefined;
			return { ...(await oauth.refresh(credential, signal)), type: "oauth" };
		});
		if (!kept) throw new ModelsError("oauth", `The login of ${id} no longer exists.`);
		return kept as unknown as OAuthCredentials;
	}
}

/** What extensions get of it. */
export const collectionExports = {
	createProvider,
	createModels,
};

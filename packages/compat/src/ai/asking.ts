/** pi's ways to ask a model: by what its protocol is called, or by the function of one protocol. */
import {
	keyFrom,
	keyVariables,
	providerOf,
	streamByCodec,
	wireApis,
	type Api,
	type AssistantMessage,
	type Context,
	type Model,
	type StreamFunction,
	type StreamOptions,
} from "@tau/ai";
import { env as readEnv, onDispose } from "@tau/utils";
import {
	commonOptions,
	laterStream,
	realKey,
	streamInScope,
	type ProtocolOptions,
} from "@tau/extensions/providers";

import { currentScope, perScope, plainContext } from "@tau/extensions/support";

/** Values for variables, given with a call. */
type OwnEnv = Readonly<Record<string, string | undefined>>;

export function getEnvApiKey(provider: string, env: OwnEnv = process.env): string | undefined {
	const row = providerOf(provider);
	return row && keyFrom(row, env)?.value;
}

/** Omp's question: which variable it is. */
function getEnvApiKeyName(provider: string): string | undefined {
	return findEnvKeys(provider)?.[0];
}

export function findEnvKeys(provider: string, env: OwnEnv = process.env): string[] | undefined {
	const row = providerOf(provider);
	const set = row ? keyVariables(row, env).filter((name) => readEnv(name, env) !== undefined) : [];
	return set.length > 0 ? set : undefined;
}

/** What pi's callers leave to the library: a key of the environment. */
function withKey(model: Model, options: ProtocolOptions = {}): StreamOptions {
	const { apiKey: value, ...rest } = commonOptions(options);
	const apiKey = value === undefined ? getEnvApiKey(model.provider) : realKey(options);
	if (apiKey === undefined) return rest;
	const row = providerOf(model.provider);
	// Servers that take the key in this header reject it in the one of the protocol. Elsewhere the name says nothing.
	if (row?.auth === "bearer" && URL.parse(model.baseUrl)?.host === URL.parse(row.baseUrl)?.host)
		return { ...rest, headers: { authorization: `Bearer ${apiKey}`, ...rest.headers } };
	return { ...rest, apiKey };
}

export const stream: StreamFunction = (model, context, options) =>
	streamInScope(model, plainContext(context), withKey(model, options));

export function complete(model: Model, context: Context, options?: StreamOptions): Promise<AssistantMessage> {
	return stream(model, context, options).result();
}

/**
 * The function of a protocol asks by it, whatever the model says of itself. That of a built-in one stays what it is when
 * an extension takes its place, because such an extension may call it.
 */
export function streamBy(api: Api): StreamFunction {
	const ask = wireApis.some((known) => known === api) ? streamByCodec : streamInScope;
	return (model, context, options) => {
		const asked = { ...model, api };
		return ask(asked, plainContext(context), withKey(asked, options));
	};
}

const protocols = {
	Anthropic: "anthropic-messages",
	AzureOpenAIResponses: "azure-openai-responses",
	Bedrock: "bedrock-converse-stream",
	Google: "google-generative-ai",
	GoogleVertex: "google-vertex",
	// Mistral's own protocol is close enough to this one that its models in the catalog use it.
	Mistral: "openai-completions",
	OpenAICodexResponses: "openai-codex-responses",
	OpenAICompletions: "openai-completions",
	OpenAIResponses: "openai-responses",
} as const;

/** `streamAnthropic`, `streamSimpleAnthropic` … */
export function protocolStreams(): Record<string, StreamFunction> {
	return Object.fromEntries(
		Object.entries(protocols).flatMap(([name, api]) => [
			[`stream${name}`, streamBy(api)],
			[`streamSimple${name}`, streamBy(api)],
		]),
	);
}

interface Streams {
	stream: StreamFunction;
	streamSimple: StreamFunction;
}

/** The same by pi's newer names: `anthropicMessagesApi().stream` … */
export function protocolApis(): Record<string, () => Streams> {
	const names: Readonly<Record<string, Api>> = {
		anthropicMessagesApi: "anthropic-messages",
		azureOpenAIResponsesApi: "azure-openai-responses",
		bedrockConverseStreamApi: "bedrock-converse-stream",
		googleGenerativeAIApi: "google-generative-ai",
		googleVertexApi: "google-vertex",
		mistralConversationsApi: "openai-completions",
		openAICodexResponsesApi: "openai-codex-responses",
		openAICompletionsApi: "openai-completions",
		openAIResponsesApi: "openai-responses",
	};
	return Object.fromEntries(
		Object.entries(names).map(([name, api]) => {
			const one = streamBy(api);
			return [name, () => ({ stream: one, streamSimple: one })];
		}),
	);
}

/** A protocol that is loaded when it is first asked. */
function lazyApi(load: () => Promise<Streams>): Streams {
	const by =
		(name: keyof Streams): StreamFunction =>
		(model, context, options) =>
			laterStream(model, async () => (await load())[name](model, context, options));
	return { stream: by("stream"), streamSimple: by("streamSimple") };
}

interface ApiProvider extends Partial<Streams> {
	api: Api;
}

interface RegisteredApi extends Streams {
	api: Api;
	sourceId: string | undefined;
	end: Disposable;
}

/** What the extensions of each session have registered. */
const registered = perScope((scope) => {
	const made = new Map<Api, RegisteredApi>();
	scope.own({
		async [Symbol.asyncDispose]() {
			for (const { end } of made.values()) end[Symbol.dispose]();
			made.clear();
		},
	});
	return made;
});

export function registerApiProvider(provider: ApiProvider, sourceId?: string): void {
	const streamSimple = provider.streamSimple ?? provider.stream;
	if (!streamSimple) throw new TypeError(`The protocol ${provider.api} has no streamSimple.`);
	forget(provider.api);
	registered().set(provider.api, {
		api: provider.api,
		stream: provider.stream ?? streamSimple,
		streamSimple,
		sourceId,
		end: registerInScope(provider.api, streamSimple),
	});
}

/** From now on the session asks all models of this api by the function, except those of providers with their own. */
export function registerInScope(api: Api, streamFunction: StreamFunction): Disposable {
	const { apis } = currentScope();
	apis.set(api, streamFunction);
	return onDispose(() => {
		if (apis.get(api) === streamFunction) apis.delete(api);
	});
}

/** Omp's form of the same. */
function registerCustomApi(api: Api, streamSimple: StreamFunction, sourceId?: string): void {
	registerApiProvider({ api, streamSimple }, sourceId);
}

export function getApiProvider(api: Api): (ApiProvider & Streams) | undefined {
	const own = registered().get(api);
	if (own) return { api, stream: own.stream, streamSimple: own.streamSimple };
	if (!wireApis.some((known) => known === api)) return undefined;
	return { api, stream: streamBy(api), streamSimple: streamBy(api) };
}

export function getApiProviders(): (ApiProvider & Streams)[] {
	return [...new Set<Api>([...wireApis, ...registered().keys()])].flatMap((api) => getApiProvider(api) ?? []);
}

export function unregisterApiProviders(sourceId: string): void {
	for (const [api, { sourceId: source }] of registered()) if (source === sourceId) forget(api);
}

/** Built-in ones cannot be removed: the session needs them. */
function clearApiProviders(): void {
	for (const api of registered().keys()) forget(api);
}

function forget(api: Api): void {
	const here = registered();
	here.get(api)?.end[Symbol.dispose]();
	here.delete(api);
}

/** What extensions get of it. */
export const askingExports = {
	getEnvApiKey,
	getEnvApiKeyName,
	findEnvKeys,
	stream,
	complete,
	lazyApi,
	registerApiProvider,
	registerCustomApi,
	getApiProvider,
	getApiProviders,
	unregisterApiProviders,
	clearApiProviders,
};

/** Providers of extensions: their models, their keys and logins, and their own stream functions. */
import { ownStream, type Api, type Model, type StreamFunction } from "@tau/ai";
import { env } from "@tau/utils";
import { modelsLimits as configLimits, type ModelRegistry, type ProvidedProvider } from "@tau/config/models";

import { liveModels } from "./live-models.ts";
import { ownLogin } from "./provider-login.ts";
import { streamByApi, withFailureKind } from "./scoped-stream.ts";
import { noteContext } from "../support/transcript-context.ts";
import type { ExtensionProvider, OAuthCredentials, ProviderModelConfig } from "../api/provider-types.ts";

interface Registered extends Disposable {
	/** The merged configuration of all calls so far: fields that a later call omits stay. */
	readonly config: ExtensionProvider;
}

const registered = new WeakMap<ModelRegistry, Map<string, Registered>>();

export function registerProvider(registry: ModelRegistry, name: string, more: ExtensionProvider): void {
	const known = knownIn(registry);
	const config = { ...known.get(name)?.config, ...more };
	check(name, config);
	known.get(name)?.[Symbol.dispose]();
	using owned = new DisposableStack();
	const api = config.streamSimple ? `extension:${name}` : config.api;
	const answers = ownStreamOf(config, owned);
	const stop = owned.adopt(new AbortController(), (controller) => controller.abort());
	let providerModelConfigs: readonly ProviderModelConfig[] | undefined;
	let lists = 0;
	const show = (credentials?: OAuthCredentials): void => {
		const models = providerModelConfigs ?? config.models;
		const shown = { ...config, ...(models ? { models: [...models] } : {}) };
		registry.provide(name, provided({ registry, name, config: shown, api, answers, credentials }));
	};
	const change = (credentials?: OAuthCredentials): void => {
		show(credentials);
		const server = { name, config, apiKey: registry.apiKey(name), credentials, stop: stop.signal };
		const requested = ++lists;
		const listing = liveModels(server, (models) => {
			// With other credentials it was asked again meanwhile.
			if (requested !== lists) return;
			check(name, { ...config, models: [...models] });
			providerModelConfigs = models;
			show(credentials);
		});
		registry.expectModels(listing);
	};
	change();
	// Told at once of what is stored already.
	if (config.oauth) owned.use(registry.offerLogin(ownLogin(name, config.oauth, change)));
	const kept = owned.move();
	known.set(name, { config, [Symbol.dispose]: () => kept.dispose() });
}

export function unregisterProvider(registry: ModelRegistry, name: string): void {
	const known = knownIn(registry);
	known.get(name)?.[Symbol.dispose]();
	if (known.delete(name)) registry.provide(name, undefined);
}

/** All that extensions have registered there. */
export function forgetProviders(registry: ModelRegistry): void {
	for (const name of knownIn(registry).keys()) unregisterProvider(registry, name);
}

/** The providers that extensions have registered there, by name. */
export function registeredProviders(registry: ModelRegistry): ReadonlyMap<string, ExtensionProvider> {
	return new Map([...knownIn(registry)].map(([name, { config }]) => [name, config]));
}

/** The display name of the provider. */
export function providerLabel(registry: ModelRegistry, name: string): string | undefined {
	const { config } = knownIn(registry).get(name) ?? {};
	return config?.name ?? config?.oauth?.name;
}

function check(name: string, { models = [], api, streamSimple, baseUrl, oauth }: ExtensionProvider): void {
	for (const model of models) {
		if (typeof model.id !== "string" || model.id === "")
			throw new TypeError(`A model of the provider ${name} has no id.`);
		if (!streamSimple && (model.api ?? api) === undefined)
			throw new TypeError(`The model ${name}/${model.id} needs an api, in the model or the provider.`);
		if (!streamSimple && (model.baseUrl ?? baseUrl) === undefined)
			throw new TypeError(`The model ${name}/${model.id} needs a baseUrl, in the model or the provider.`);
	}
	if (oauth && (typeof oauth.name !== "string" || typeof oauth.login !== "function"))
		throw new TypeError(`The login of provider ${name} needs a name and a login function.`);
}

interface About {
	registry: ModelRegistry;
	name: string;
	config: ExtensionProvider;
	api: Api | undefined;
	/** What answers for models of an api, where that is the session's own. */
	/** Answers for all models of the provider. */
	answers: StreamFunction | undefined;
	/** What is stored of its login. */
	credentials: OAuthCredentials | undefined;
}

function provided(about: About): ProvidedProvider {
	const { name, config } = about;
	const { baseUrl, authHeader, oauth } = config;
	const key = config.apiKey === undefined ? undefined : configValue(config.apiKey);
	const headers = resolved(config.headers);
	// A provider with its own stream function knows what it needs.
	const keyless = config.streamSimple && config.apiKey === undefined && !oauth;
	const models = modelsFor(about);
	return {
		config: {
			...(baseUrl === undefined ? {} : { baseUrl }),
			...(key?.value === undefined ? {} : { apiKey: key.value }),
			...(headers ? { headers } : {}),
			...(authHeader === undefined ? {} : { authHeader }),
			...(keyless ? { auth: "none" as const } : {}),
		},
		...(models ? { models } : {}),
		// Without models or answers of its own it only changes the route to the catalogue's provider.
		takesOver: config.models !== undefined || config.streamSimple !== undefined,
		missing: oauth ? `/login ${name}` : (key?.missing ?? `an apiKey for ${name}`),
	};
}

/** Nothing where those of the catalogue stay. */
function modelsFor({ registry, name, config, api, answers, credentials }: About): Model[] | undefined {
	const withStream = (model: Model): Model => (answers ? { ...model, [ownStream]: answers } : model);
	const own = config.models?.map((model) => modelOf(name, config, model, api));
	const modify = config.oauth?.modifyModels;
	if (!credentials || !modify) return own?.map(withStream);
	if (own) return modify.call(config.oauth, own, credentials).map(withStream);
	registry.provide(name, undefined);
	return modify.call(config.oauth, [...registry.of(name)], credentials);
}

/**
 * A provider that answers by itself has an api under a name of its own, so that other providers of the same protocol go
 * on as before.
 */
function ownStreamOf(
	{ streamSimple, api: spoken }: ExtensionProvider,
	owned: DisposableStack,
): StreamFunction | undefined {
	let isRegistered = true;
	owned.defer(() => {
		isRegistered = false;
	});
	return (
		streamSimple &&
		((model, context, options) => {
			const { [ownStream]: _, ...plain } = model;
			if (!isRegistered) return streamByApi(plain, context, options);
			noteContext(context);
			// pi's word for how answers arrive.
			const sent = { transport: "sse", ...options };
			return withFailureKind(streamSimple({ ...plain, api: spoken ?? model.api }, context, sent));
		})
	);
}

function modelOf(
	provider: string,
	config: ExtensionProvider,
	model: ProviderModelConfig,
	api: Api | undefined,
): Model {
	const headers = { ...resolved(config.headers), ...resolved(model.headers) };
	return {
		id: model.id,
		name: model.name ?? model.id,
		api: (config.streamSimple ? api : (model.api ?? api)) ?? "",
		provider,
		baseUrl: model.baseUrl ?? config.baseUrl ?? "",
		reasoning: model.reasoning ?? false,
		input: model.input ?? ["text"],
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...model.cost },
		contextWindow: model.contextWindow ?? configLimits.defaultContextWindow,
		maxTokens: model.maxTokens ?? configLimits.defaultMaxTokens,
		...(model.thinkingLevelMap ? { thinkingLevelMap: model.thinkingLevelMap } : {}),
		...(Object.keys(headers).length > 0 ? { headers } : {}),
		...(model.compat ? { compat: model.compat } : {}),
	};
}

/** A value may be the name of a variable, or have some in it. */
function resolved(headers: Record<string, string> | undefined): Record<string, string> | undefined {
	if (!headers) return undefined;
	const values = Object.entries(headers).map(([name, input]) => {
		const { value } = configValue(input);
		return [name, value === undefined ? undefined : (env(value) ?? value)] as const;
	});
	return Object.fromEntries(values.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

function knownIn(registry: ModelRegistry): Map<string, Registered> {
	const known = registered.get(registry) ?? new Map<string, Registered>();
	registered.set(registry, known);
	return known;
}

/** Values of providers as pi writes them: `$NAME` and `${NAME}` are variables, `$$` is a dollar, `$!` a leading `!`. */
interface ConfigValue {
	/** The resolved text, or the variable's name if the text is only a variable. Undefined if a variable is not set. */
	value?: string;
	/** The variable that would have to be set. */
	missing?: string;
}

/** A lone variable stays a name, so that its value can be hidden from the commands that a model runs. */
function configValue(text: string): ConfigValue {
	const [, plain, braced] = /^\$(?:(\w+)|\{(\w+)\})$/.exec(text) ?? [];
	const name = plain ?? braced;
	if (name !== undefined) return env(name) === undefined ? { missing: name } : { value: name };
	// A command is run by the registry, so its text stays unchanged.
	if (!text.includes("$") || text.startsWith("!")) return { value: text };
	let missing: string | undefined;
	const value = text.replace(
		/\$(?:([$!])|(\w+)|\{(\w+)\})/g,
		(_, escaped?: string, bare?: string, inBraces?: string) => {
			if (escaped !== undefined) return escaped;
			const requested = bare ?? inBraces ?? "";
			const set = env(requested);
			if (set === undefined) missing ??= requested;
			return set ?? "";
		},
	);
	return missing === undefined ? { value } : { missing };
}

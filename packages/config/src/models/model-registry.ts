/** All models that Tau knows, from the catalogue, `models.yml` and discovery, and the keys to use them. */
import {
	addressOf,
	builtinModels,
	headersOf,
	keyFrom,
	keyVariables,
	missingFor,
	ownStream,
	providerOf,
	providers as builtinProviders,
	type Model,
	type OwnLogin,
	type Provider,
} from "@tau/ai";
import { env as readEnv, onDispose, registerSecret, type Env } from "@tau/utils";

import { describeProblem } from "../settings/config-problem.ts";
import { CanonicalIndex } from "./canonical.ts";
import { isKeyCommand, keyFromCommand } from "./key-command.ts";
import { customModels, override } from "./merge-models.ts";
import { noModelSettings, type ModelSettings } from "./model-settings.ts";
import type { ModelsFile, ProviderConfig } from "./models-file/index.ts";

export interface RegistryOptions {
	settings?: ModelSettings;
	/** Whether a key or a login of the provider is in the store of credentials. */
	isStored?(provider: string): boolean;
	/** Whether the stored credential of the provider is a login. */
	hasLogin?(provider: string): boolean;
	/** Adds a login from an extension to those in the store of credentials. */
	offerLogin?(login: OwnLogin): Disposable;
	/** Loads the model that answers when no other is available. */
	fallback?: FallbackModel;
}

export type FallbackModel = (registry: ModelRegistry, env: Env) => Promise<Model>;

/** A provider that an extension adds or changes. */
export interface ProvidedProvider {
	config: ProviderConfig;
	/** Replaces all models of the provider; if absent, its models stay, with the new route. */
	models?: readonly Model[];
	/** Address, key, headers and login of the catalogue's provider of this name do not apply. */
	takesOver?: boolean;
	/** What to do if there is no key, in short. */
	missing?: string;
}

/** A provider that takes its key from the environment. */
export interface KeyHolder {
	id: string;
	label: string;
	/** Variables that may hold the key, strongest first. */
	variables: readonly string[];
}

/** The credentials and address of a request. */
export interface RequestCredentials {
	apiKey?: string;
	headers: Record<string, string>;
}

export class ModelRegistry {
	readonly #env: Env;
	readonly #file: ModelsFile;
	readonly #isStored: (provider: string) => boolean;
	readonly hasLogin: (provider: string) => boolean;
	readonly offerLogin: NonNullable<RegistryOptions["offerLogin"]>;
	readonly #runtimeKeys = new Map<string, string>();
	readonly #runtimeUrls = new Map<string, string>();
	readonly #commandKeys = new Map<string, string>();
	/** The models from the catalogue and the file, by provider, loaded on first use. */
	readonly #known = new Map<string, Model[]>();
	readonly #added: Model[] = [];
	readonly #provided = new Map<string, ProvidedProvider>();
	readonly #listings = new Set<Promise<void>>();
	#all: readonly Model[] | undefined;
	#canonical: CanonicalIndex | undefined;
	readonly settings: ModelSettings;
	readonly #fallback: FallbackModel | undefined;

	constructor(file: ModelsFile, env: Env, options: RegistryOptions = {}) {
		const { settings = noModelSettings, isStored, hasLogin, offerLogin } = options;
		this.#file = file;
		this.#env = env;
		this.#isStored = isStored ?? (() => false);
		this.hasLogin = hasLogin ?? (() => false);
		this.offerLogin = offerLogin ?? (() => onDispose(() => {}));
		this.settings = settings;
		this.#fallback = options.fallback;
	}

	/** The model that answers when no other is available; undefined if the program has none. */
	async fallbackModel(): Promise<Model | undefined> {
		return this.#fallback?.(this, this.#env);
	}

	/** The file in which a user would add a model. */
	get modelsFile(): string {
		return this.#file.path;
	}

	/** The problems of that file, a line each; undefined if there are none. */
	get fileProblems(): string | undefined {
		return this.#file.problems.map(describeProblem).join("\n") || undefined;
	}

	/** The configuration of a provider in `models.yml`, from extensions and for this run. */
	config(provider: string): ProviderConfig | undefined {
		const own = this.#file.providers.get(provider);
		const provided = this.#provided.get(provider);
		const config = provided ? { ...own, ...provided.config } : own;
		const baseUrl = this.#runtimeUrls.get(provider);
		return baseUrl === undefined ? config : { ...config, baseUrl };
	}

	/** The provider's row of the catalogue; none if an extension has taken the name over. */
	row(provider: string): Provider | undefined {
		return this.#provided.get(provider)?.takesOver ? undefined : providerOf(provider);
	}

	/** Registers a provider of an extension; undefined removes it. */
	provide(provider: string, provided: ProvidedProvider | undefined): void {
		if (provided) this.#provided.set(provider, provided);
		else this.#provided.delete(provider);
		this.#known.delete(provider);
		this.#all = undefined;
		this.#canonical = undefined;
	}

	/** Registers a pending discovery of a provider; it never rejects, and has its own time limit. */
	expectModels(listing: Promise<void>): void {
		this.#listings.add(listing);
		void listing.finally(() => this.#listings.delete(listing));
	}

	/** Resolves when all pending discoveries have ended. */
	async listed(): Promise<void> {
		while (this.#listings.size > 0) await Promise.all(this.#listings);
	}

	/** All providers, those of the file first. */
	providerIds(): string[] {
		const own = [...new Set([...this.#file.providers.keys(), ...this.#provided.keys()])].filter(
			(id) => !builtinProviders.some((row) => row.id === id),
		);
		return [...own, ...builtinProviders.map(({ id }) => id)].filter((id) => !this.isDisabled(id));
	}

	isDisabled(provider: string): boolean {
		return this.settings.disabledProviders.includes(provider);
	}

	all(): readonly Model[] {
		this.#all ??= this.#collect();
		return this.#all;
	}

	/** The first of all models whose provider is wanted, without reading the models of the other providers. */
	first(isWanted: (provider: string) => boolean): Model | undefined {
		return this.#collect(isWanted)[0];
	}

	/** The models of one provider, without reading those of the others. */
	of(provider: string): readonly Model[] {
		if (this.isDisabled(provider)) return [];
		return [...this.#knownOf(provider), ...this.#added.filter((model) => model.provider === provider)];
	}

	/** Finds a model by `provider/id`, in any case, including other programs' names of the provider. */
	find(selector: string): Model | undefined {
		const slash = selector.indexOf("/");
		if (slash < 0) return undefined;
		const name = selector.slice(0, slash).toLowerCase();
		const id = selector.slice(slash + 1).toLowerCase();
		const known = [...this.#file.providers.keys(), ...this.#provided.keys()];
		const names = known.filter((each) => each.toLowerCase() === name);
		const candidates = new Set([...names, name, providerOf(name)?.id ?? name]);
		for (const provider of candidates) {
			const models = this.of(provider);
			const found = models.find((model) => model.id === selector.slice(slash + 1));
			const same = found ?? models.find((model) => model.id.toLowerCase() === id);
			if (same) return same;
		}
		return undefined;
	}

	/** The groups of models that are the same model. */
	canonical(): CanonicalIndex {
		this.#canonical ??= new CanonicalIndex(this.all(), this.#file.equivalence);
		return this.#canonical;
	}

	/** The models that are usable right now. */
	available(): Model[] {
		const usable = new Map<string, boolean>();
		return this.all().filter((model) => {
			const before = usable.get(model.provider);
			const can = before ?? this.isAvailable(model);
			if (before === undefined) usable.set(model.provider, can);
			return can;
		});
	}

	isAvailable(model: Model): boolean {
		return !this.isDisabled(model.provider) && this.whyNot(model.provider) === undefined;
	}

	/** What is missing to use a provider, in short; undefined if nothing is missing. */
	whyNot(provider: string): string | undefined {
		const config = this.config(provider);
		const row = this.row(provider);
		if (config?.auth === "none" || (!config && !row)) return undefined;
		const hasKey =
			this.#runtimeKeys.has(provider) || this.#isStored(provider) || config?.apiKey !== undefined;
		if (!row)
			return hasKey ? undefined : (this.#provided.get(provider)?.missing ?? "an apiKey in models.yml");
		// An address in the file leaves no placeholder to fill.
		const placed = config?.baseUrl === undefined ? row : { ...row, baseUrl: config.baseUrl };
		return missingFor(placed, this.#env, hasKey || keyFrom(row, this.#env) !== undefined);
	}

	/** Adds models that were discovered or loaded later; known models are not changed. */
	add(...models: Model[]): void {
		const known = new Set(this.all().map(selectorOf));
		this.#added.push(
			...models
				.filter((model) => !known.has(selectorOf(model)))
				.map((model) => override(model, this.config(model.provider))),
		);
		this.#all = undefined;
		this.#canonical = undefined;
	}

	/** Removes the added models. */
	drop(model: Model): void {
		const at = this.#added.findIndex((each) => selectorOf(each) === selectorOf(model));
		if (at !== -1) this.#added.splice(at, 1);
		this.#all = undefined;
		this.#canonical = undefined;
	}

	/** A key for this run only (`--api-key`), for the provider of this model; it is never stored. */
	setRuntimeKey(model: Pick<Model, "provider">, key: string): void {
		registerSecret(key);
		this.#runtimeKeys.set(model.provider, key);
	}

	/** An address for this run only (`--base-url`), for all models of a provider. Returns the model with that address. */
	setRuntimeUrl(model: Model, baseUrl: string): Model {
		this.#runtimeUrls.set(model.provider, baseUrl);
		this.#known.delete(model.provider);
		this.#all = undefined;
		this.#canonical = undefined;
		return { ...model, baseUrl };
	}

	/**
	 * Runs the command for the key in `models.yml`, if there is one and no stronger source has a key. Returns
	 * the error, if any.
	 */
	async unlock(provider: string, signal?: AbortSignal): Promise<string | undefined> {
		const { apiKey: command, auth } = this.config(provider) ?? {};
		if (command === undefined || auth === "none" || !isKeyCommand(command)) return undefined;
		if (this.#isStored(provider) || this.apiKey(provider) !== undefined) return undefined;
		const answer = await keyFromCommand(command, this.#env, signal);
		if ("problem" in answer) return `The key command for ${provider} failed: ${answer.problem}`;
		this.#commandKeys.set(provider, answer.key);
		return undefined;
	}

	/**
	 * Tries `--api-key`, then the provider's variables, then `models.yml`: the result of `unlock`, a variable's name,
	 * or the key itself. A provider with `auth: none` is not sent a key that happens to be in the environment.
	 */
	apiKey(provider: string): string | undefined {
		return this.#key(provider)?.value;
	}

	/** Where the key of `apiKey` comes from: a flag, a variable, or `models.yml`. Never the key. */
	keyOrigin(provider: string): string | undefined {
		const key = this.#key(provider);
		if (!key) return undefined;
		if (this.#runtimeKeys.has(provider)) return "--api-key";
		const configured = this.config(provider)?.apiKey;
		const isVariable = configured !== key.variable || readEnv(configured, this.#env) !== undefined;
		return isVariable && key.variable !== "" ? key.variable : "models.yml";
	}

	/** Formats a key as the provider expects it; the default is the key from `apiKey`. */
	credentials(model: Model, key?: string): RequestCredentials {
		const { provider } = model;
		const found = key === undefined ? this.#key(provider) : { value: key, variable: "" };
		if (!found) return { headers: {} };
		const row = this.row(provider);
		const bearer = { authorization: `Bearer ${found.value}` };
		// An extension that answers for the provider decides itself how to send the key.
		if (model[ownStream])
			return { apiKey: found.value, headers: this.config(provider)?.authHeader ? bearer : {} };
		// A second header with the same key would be mistaken for another kind of key, or rejected.
		if (row?.auth === "bearer" || row?.bearer?.includes(found.variable)) return { headers: bearer };
		return { apiKey: found.value, headers: this.config(provider)?.authHeader ? bearer : {} };
	}

	/** Whether the user has set up the provider for models, and not only a variable that has other uses too. */
	isChosen(provider: string): boolean {
		return (
			!this.row(provider)?.sharedKey ||
			this.#isStored(provider) ||
			this.config(provider)?.apiKey !== undefined
		);
	}

	/** The providers whose key may be in a variable, except those with a stored credential, which comes first. */
	keyHolders(): KeyHolder[] {
		return this.providerIds().flatMap((id): KeyHolder[] => {
			const { apiKey, auth } = this.config(id) ?? {};
			if (auth === "none" || this.#isStored(id)) return [];
			const row = this.row(id);
			const named = apiKey === undefined || isKeyCommand(apiKey) ? [] : [apiKey];
			const variables = [...(row ? keyVariables(row, this.#env) : []), ...named];
			return variables.length > 0 ? [{ id, label: row?.label ?? id, variables }] : [];
		});
	}

	/** The environment for the model's commands, without the variables that hold keys according to `models.yml`. */
	withoutKeys(env: Env): Env {
		const provided = [...this.#provided.values()].map(({ config }) => config);
		const secret = new Set([...this.#file.providers.values(), ...provided].map(({ apiKey }) => apiKey));
		return Object.fromEntries(Object.entries(env).filter(([name]) => !secret.has(name)));
	}

	#key(provider: string): { value: string; variable: string } | undefined {
		const key = this.#lookUp(provider);
		if (key) registerSecret(key.value);
		return key;
	}

	#lookUp(provider: string): { value: string; variable: string } | undefined {
		const runtime = this.#runtimeKeys.get(provider);
		if (runtime !== undefined) return { value: runtime, variable: "" };
		const { apiKey: configured, auth } = this.config(provider) ?? {};
		if (auth === "none") return undefined;
		const row = this.row(provider);
		const resolvedKey = row ? keyFrom(row, this.#env) : undefined;
		if (resolvedKey || configured === undefined) return resolvedKey;
		if (isKeyCommand(configured)) {
			const value = this.#commandKeys.get(provider);
			return value === undefined ? undefined : { value, variable: "" };
		}
		return { value: readEnv(configured, this.#env) ?? configured, variable: configured };
	}

	/** The user's own models come first: they were configured to be found. */
	#collect(isWanted: (provider: string) => boolean = () => true): Model[] {
		const known = this.providerIds()
			.filter(isWanted)
			.flatMap((id) => this.#knownOf(id));
		const own = new Set(
			[...this.#file.providers].flatMap(([id, { models = [] }]) =>
				models.map((model) => `${id}/${model.id}`),
			),
		);
		return [
			...known.filter((model) => own.has(selectorOf(model))),
			...known.filter((model) => !own.has(selectorOf(model))),
			...this.#added.filter(({ provider }) => !this.isDisabled(provider) && isWanted(provider)),
		];
	}

	/** Catalogue, then provider overrides, then model overrides, then the file's own models. */
	#knownOf(provider: string): Model[] {
		const known = this.#provided.get(provider)?.models ?? this.#known.get(provider);
		if (known) return [...known];
		const config = this.config(provider);
		const own = config ? customModels(provider, config, this.#env) : [];
		const taken = new Set(own.map(({ id }) => id));
		const models = builtinModels(provider)
			.filter(({ id }) => !taken.has(id))
			.map((model) => override(this.#placed(model), config));
		const merged = [...own, ...models];
		this.#known.set(provider, merged);
		return merged;
	}

	/** The address and headers that the environment sets for a built-in provider behind a gateway. */
	#placed(model: Model): Model {
		const row = providerOf(model.provider);
		if (!row) return model;
		const headers = { ...model.headers, ...headersOf(row, this.#env) };
		return {
			...model,
			baseUrl: addressOf(row, this.#env, model.baseUrl),
			...(Object.keys(headers).length > 0 ? { headers } : {}),
		};
	}
}

function selectorOf({ provider, id }: Model): string {
	return `${provider}/${id}`;
}

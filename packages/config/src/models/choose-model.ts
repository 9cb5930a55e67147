/** Chooses the model of a run: the requested one, else the best usable one, else the demo. */
import { isVirtualModel, providerOf, providers, type Model, type ThinkingLevel } from "@tau/ai";
import { dirs, type Env, UsageError } from "@tau/utils";

import { limits } from "./limits.ts";
import type { ModelRegistry } from "./model-registry.ts";
import { resolveModel, selector, withLevel, type Resolved } from "./model-resolver.ts";
import { borrowedFrom, followRole, roleOf, suggestedFor } from "./model-roles.ts";
import { scopeOf } from "./model-scope.ts";

export interface ModelRequest {
	/** `--model`. */
	model?: string;
	/** `--provider`, the older way to name the provider. */
	provider?: string;
	/** `--api-key`, for the provider of the chosen model and for this run only. */
	apiKey?: string;
	/** `--base-url`, for the provider of the chosen model and for this run only. */
	baseUrl?: string;
	/** `--models`: patterns of the models to choose among. */
	models?: readonly string[];
}

export interface Choice {
	model: Model;
	thinking?: ThinkingLevel;
	/** What the user should know about how the model was chosen. */
	notices: string[];
}

type ModelMatch = Omit<Choice, "notices">;

export async function chooseModel(request: ModelRequest, registry: ModelRegistry, env: Env): Promise<Choice> {
	const notices: string[] = [];
	const requested = askedFor(request);
	if (requested === undefined && request.apiKey !== undefined) {
		throw new UsageError("--api-key needs --model, so that Tau knows which provider the key is for.");
	}
	if (requested === undefined && request.baseUrl !== undefined) {
		throw new UsageError("--base-url needs --model, so that Tau knows which provider the address is for.");
	}
	// Patterns that choose nothing today would leave models out later, when the user changes the model.
	const [problem] = request.models ? scopeOf(request.models, registry).problems : [];
	if (problem !== undefined) throw new UsageError(`--models: ${problem}`);
	const modelMatch =
		requested === undefined
			? await initialModel(request.models, registry, env, notices)
			: await askedModel(requested, registry, env);
	const { baseUrl } = request;
	if (baseUrl !== undefined && isVirtualModel(modelMatch.model))
		throw new UsageError(
			`--base-url does not apply to ${selector(modelMatch.model)}, which has no address of its own: it sends each request to another model. Name that model with --model, or leave --base-url out.`,
		);
	const model =
		baseUrl === undefined ? modelMatch.model : registry.setRuntimeUrl(modelMatch.model, addressIn(baseUrl));
	await makeReady(model, request.apiKey, registry);
	return { ...modelMatch, model, notices };
}

function addressIn(text: string): string {
	const url = URL.parse(text);
	if (url?.protocol === "http:" || url?.protocol === "https:") return text.replace(/\/+$/, "");
	throw new UsageError(`--base-url must be an address such as https://example.com/v1, not ${text}.`);
}

/** Rejects models of roles that do not exist: by role, as the user named them for this run. */
export async function checkRoles(
	roles: Readonly<Record<string, string>>,
	registry: ModelRegistry,
	env: Env,
): Promise<void> {
	for (const [role, requested] of Object.entries(roles)) await modelOfFlag(role, requested, registry, env);
}

/** The model that a flag names. Throws a `UsageError` that names the flag. */
export async function modelOfFlag(
	flag: string,
	requested: string,
	registry: ModelRegistry,
	env: Env,
): Promise<Model> {
	try {
		return (await askedModel(requested, registry, env)).model;
	} catch (error) {
		if (!(error instanceof UsageError)) throw error;
		throw new UsageError(`--${flag}: ${error.message}`);
	}
}

/** Gives a model the key for this run, or runs the command that gets one; throws if the model is not usable. */
export async function makeReady(
	model: Model,
	apiKey: string | undefined,
	registry: ModelRegistry,
): Promise<void> {
	if (apiKey !== undefined) registry.setRuntimeKey(model, apiKey);
	if (!registry.isAvailable(model)) throw new UsageError(missingKey(model, registry));
	const locked = await registry.unlock(model.provider);
	if (locked !== undefined) throw new UsageError(locked);
}

/** `--provider a --model b` means `a/b`, and `--provider a` means the default model of a. */
function askedFor({ model, provider }: ModelRequest): string | undefined {
	if (provider === undefined || model?.startsWith(`${provider}/`)) return model;
	return `${provider}/${model ?? ""}`;
}

async function askedModel(requested: string, registry: ModelRegistry, env: Env): Promise<ModelMatch> {
	const role = roleOf(requested);
	if (role) return roleModel(role.role, role.thinking, registry, env);
	if (requested.endsWith("/")) return { model: providerDefault(requested.slice(0, -1), registry) };
	const exact = await listedModel(requested, registry);
	if (exact.ok) return exact;
	refuseDisabled(requested, registry);
	const known = resolveModel(requested, registry.all(), registry);
	if (known.ok && registry.isAvailable(known.model)) return known;
	const further = await lookFurther(requested, registry, env);
	if (further.ok) return further;
	throw new UsageError(further.message);
}

/** Resolves the model without reading the models of any other provider. */
function exactModel(requested: string, registry: ModelRegistry): Resolved {
	return withLevel(requested, (name) => {
		const model = registry.find(name);
		return model ? { ok: true, model } : { ok: false, message: "" };
	});
}

/** Discovery for providers of extensions may still be pending. */
async function listedModel(requested: string, registry: ModelRegistry): Promise<Resolved> {
	const known = exactModel(requested, registry);
	if (known.ok) return known;
	await registry.listed();
	return exactModel(requested, registry);
}

function refuseDisabled(requested: string, registry: ModelRegistry): void {
	const name = requested.split("/")[0] ?? "";
	const provider = providerOf(name)?.id ?? name;
	if (requested.includes("/") && registry.isDisabled(provider)) {
		throw new UsageError(`${provider} is disabled. Remove it from disabledProviders in config.yml.`);
	}
}

function providerDefault(name: string, registry: ModelRegistry): Model {
	refuseDisabled(`${name}/`, registry);
	const [model] = registry.of(providerOf(name)?.id ?? name);
	if (!model) throw new UsageError(`No known models for ${name}. Choose one with --model.`);
	return model;
}

/** Loads the demo and the models of servers: only worthwhile if nothing else matches. */
async function lookFurther(requested: string, registry: ModelRegistry, env: Env): Promise<Resolved> {
	const demo = await registry.fallbackModel();
	const resolved = resolveModel(requested, [...registry.all(), ...(demo ? [demo] : [])], registry);
	if (resolved.ok && (resolved.model === demo || registry.isAvailable(resolved.model))) return resolved;
	await discoverFor(requested, registry, env);
	if (demo) registry.add(demo);
	return resolveModel(requested, registry.all(), registry);
}

/** Queries the provider that the name starts with, if it is one; else all that list their models. */
async function discoverFor(requested: string, registry: ModelRegistry, env: Env): Promise<void> {
	const { discover, DiscoveryCache, discoveryTargets, targetOf } = await import("./discovery/index.ts");
	const name = requested.split("/")[0] ?? "";
	const one = requested.includes("/") ? targetOf(providerOf(name)?.id ?? name, registry, env) : undefined;
	// The one that was asked for is waited for, wherever it runs; of the others, a local one that is slow costs little.
	const targets = one ? [{ ...one, answerMs: limits.remoteServerMs }] : discoveryTargets(registry, env);
	const servers = await discover(targets, new DiscoveryCache(dirs(env).cache)).current();
	registry.add(...servers.flatMap(({ models }) => models));
}

/** The first of the scope, the saved default, the default of a provider with a key, the user's own, a local one, the demo. */
async function initialModel(
	patterns: readonly string[] | undefined,
	registry: ModelRegistry,
	env: Env,
	notices: string[],
): Promise<ModelMatch> {
	const scoped = scopedModel(patterns, registry, notices);
	if (scoped) return scoped;
	const saved = followRole("default", registry.settings.roles);
	if (saved.kind === "circle") notices.push(saved.message);
	if (saved.kind === "pattern") {
		const found = await listedModel(saved.pattern, registry);
		const resolved = found.ok ? found : resolveModel(saved.pattern, registry.all(), registry);
		if (resolved.ok && registry.isAvailable(resolved.model)) {
			return { ...resolved, ...(saved.thinking ? { thinking: saved.thinking } : {}) };
		}
		const why = resolved.ok ? missingKey(resolved.model, registry) : resolved.message;
		notices.push(`The default model in config.yml is not available. ${why}`);
	}
	return { model: await defaultModel(registry, env) };
}

function scopedModel(
	patterns: readonly string[] | undefined,
	registry: ModelRegistry,
	notices: string[],
): ModelMatch | undefined {
	const scope = scopeOf(patterns ?? registry.settings.enabledModels, registry);
	const usable = scope.models.find(({ model }) => registry.isAvailable(model));
	const [first] = scope.models;
	if (patterns === undefined) {
		notices.push(...scope.problems.map((problem) => `enabledModels in config.yml: ${problem}`));
		return usable;
	}
	return usable ?? first;
}

async function roleModel(
	role: string,
	level: ThinkingLevel | undefined,
	registry: ModelRegistry,
	env: Env,
): Promise<ModelMatch> {
	const target = followRole(role, registry.settings.roles);
	if (target.kind === "circle") throw new UsageError(target.message);
	const thinking = level ?? target.thinking;
	const withThinking = (modelMatch: ModelMatch): ModelMatch =>
		thinking ? { ...modelMatch, thinking } : modelMatch;
	if (target.kind === "pattern") return withThinking(await askedModel(target.pattern, registry, env));
	const suggested = suggestedFor(target.role, registry);
	if (suggested) return withThinking({ model: suggested });
	const other = borrowedFrom(target.role);
	if (other) return roleModel(other, thinking, registry, env);
	return withThinking({ model: await defaultModel(registry, env) });
}

/** The user's order comes first, then the provider table, the user's own providers, and discovered servers. */
async function defaultModel(registry: ModelRegistry, env: Env): Promise<Model> {
	const rows = providers.map(({ id }) => id).filter((id) => registry.isChosen(id));
	const order = [...registry.settings.providerOrder, ...rows];
	for (const id of order) {
		const [model] = registry.whyNot(id) === undefined ? registry.of(id) : [];
		if (model && providerOf(id) && registry.isAvailable(model)) return model;
	}
	const own = registry.first((id) => registry.whyNot(id) === undefined && registry.isChosen(id));
	if (own) return own;
	const { discover, discoveryTargets } = await import("./discovery/index.ts");
	// The cache is not used: a server that has stopped since would be chosen and not answer.
	const servers = await discover(discoveryTargets(registry, env)).current();
	const [listed] = servers.flatMap(({ models }) => models);
	if (listed) registry.add(listed);
	const model = listed ?? (await registry.fallbackModel());
	if (!model)
		throw new UsageError("No model is available. Set an API key, run tau login, or choose one with --model.");
	return model;
}

function missingKey(model: Model, registry: ModelRegistry): string {
	const missing = registry.whyNot(model.provider) ?? "";
	const isLogin = missing.startsWith("tau login");
	const isKey = registry.apiKey(model.provider) === undefined;
	if (!isKey) return `${selector(model)} is not available. Set ${missing}.`;
	const way = isLogin ? `Run ${missing}` : missing.startsWith("an ") ? `Add ${missing}` : `Set ${missing}`;
	return `No key for ${selector(model)}. ${way}, or pass --api-key.`;
}

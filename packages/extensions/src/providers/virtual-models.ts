/** Virtual models of extensions, which answer nothing themselves: each request goes to a model that the extension picks. */
import {
	fittingLevel,
	isVirtualModel,
	ownStream,
	thinkingLevels,
	virtualApi,
	type AssistantMessage,
	type AssistantMessageEventStream,
	type Context,
	type Model,
	type StreamOptions,
	type ThinkingLevel,
	type ThinkingLevelMap,
} from "@tau/ai";
import { modelsLimits as configLimits, type ModelRegistry } from "@tau/config/models";
import { laterStream } from "./later-stream.ts";
import { streamByApi } from "./scoped-stream.ts";
import { normalizeContext } from "../support/system-messages.ts";
import type { BoundSession } from "../api/extension-session.ts";
import type { RouteRequest } from "./virtual-routes.ts";

export interface ModelRoute<S = unknown> {
	model: Model;
	thinkingLevel?: ThinkingLevel;
	/** Stored on the branch, and passed to the next request on it. */
	state?: S;
}

export interface VirtualModelDefinition<S = unknown> {
	/** Where it is listed; the provider may have its own models. */
	provider: string;
	id: string;
	name?: string;
	thinkingLevels?: readonly ThinkingLevel[];
	contextWindow?: number;
	maxTokens?: number;
	input?: ("text" | "image" | "audio")[];
	route(request: RouteRequest<S>): ModelRoute<S> | Promise<ModelRoute<S>>;
}

/** What knows the session: why a request is made, and what the branch remembers. */
export interface Dispatch {
	bound(): BoundSession;
	requestOf(about: {
		model: Model;
		context: Context;
		options: StreamOptions;
	}): Omit<RouteRequest, "model" | "thinkingLevel" | "messages" | "signal">;
	/** The route was used. */
	onRoute(virtual: Model, request: RouteRequest, route: ModelRoute): void;
	onAnswer(message: AssistantMessage, level: ThinkingLevel): void;
}

const registered = new WeakMap<ModelRegistry, Map<string, Disposable>>();

export function registerVirtualModel(
	registry: ModelRegistry,
	definition: VirtualModelDefinition,
	dispatch: Dispatch,
): void {
	check(definition);
	const { provider, id } = definition;
	unregisterVirtualModel(registry, provider, id);
	if (registry.of(provider).some((model) => model.id === id))
		throw new TypeError(`Model ${provider}/${id} already exists and is not virtual.`);
	let isRegistered = true;
	const model: Model = {
		...modelOf(definition),
		[ownStream]: (asked, context, options = {}) =>
			isRegistered
				? answer({ definition, dispatch, model: asked, context, options })
				: streamByApi(asked, context, options),
	};
	using owned = new DisposableStack();
	owned.defer(() => {
		isRegistered = false;
	});
	registry.add(model);
	owned.defer(() => registry.drop(model));
	const kept = owned.move();
	knownIn(registry).set(`${provider}/${id}`, kept);
}

export function unregisterVirtualModel(registry: ModelRegistry, provider: string, id: string): void {
	const known = knownIn(registry);
	known.get(`${provider}/${id}`)?.[Symbol.dispose]();
	known.delete(`${provider}/${id}`);
}

/** All that extensions have registered there. */
export function forgetVirtualModels(registry: ModelRegistry): void {
	for (const each of knownIn(registry).values()) each[Symbol.dispose]();
	knownIn(registry).clear();
}

function check({ provider, id, route }: Record<"provider" | "id" | "route", unknown>): void {
	if (typeof provider !== "string" || provider === "" || typeof id !== "string" || id === "")
		throw new TypeError("A virtual model needs a provider and an id.");
	if (typeof route !== "function") throw new TypeError(`The virtual model ${provider}/${id} has no route.`);
}

function modelOf(definition: VirtualModelDefinition): Model {
	const { provider, id, name = id, thinkingLevels: levels = ["off"] } = definition;
	const map: ThinkingLevelMap = {};
	for (const level of thinkingLevels) if (!levels.includes(level)) map[level] = null;
	for (const level of ["xhigh", "max"] as const) if (levels.includes(level)) map[level] = level;
	return {
		id,
		name,
		api: `${virtualApi}${provider}/${id}`,
		provider,
		baseUrl: "",
		reasoning: levels.some((level) => level !== "off"),
		thinkingLevelMap: map,
		input: definition.input ?? ["text", "image"],
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
		contextWindow: definition.contextWindow ?? configLimits.defaultContextWindow,
		maxTokens: definition.maxTokens ?? configLimits.defaultMaxTokens,
	};
}

interface RoutedRequest {
	definition: VirtualModelDefinition;
	dispatch: Dispatch;
	model: Model;
	context: Context;
	options: StreamOptions;
}

/** What is wrong with the route is wrong with the answer. */
function answer(request: RoutedRequest): AssistantMessageEventStream {
	return laterStream(request.model, async () => {
		const { dispatch, context, options } = request;
		const { bound, chosen, level } = await pick(request);
		// Keys and headers were those of a provider that is not asked.
		const { apiKey: _, headers: __, maxTokens, ...rest } = options;
		const { apiKey, headers = {}, baseUrl = chosen.baseUrl } = await bound.credentials(chosen);
		const answering = bound.stream({ ...chosen, baseUrl }, context, {
			...rest,
			reasoning: level,
			headers: await bound.handle.hooks.headers(headers),
			...(apiKey === undefined ? {} : { apiKey }),
			...(maxTokens === undefined ? {} : { maxTokens: Math.min(maxTokens, chosen.maxTokens) }),
		});
		void answering.result().then((message) => dispatch.onAnswer(message, level));
		return answering;
	});
}

async function pick({
	definition,
	dispatch,
	model,
	context,
	options,
}: RoutedRequest): Promise<{ bound: BoundSession; chosen: Model; level: ThinkingLevel }> {
	const bound = dispatch.bound();
	const { signal } = options;
	const request: RouteRequest = {
		...dispatch.requestOf({ model, context, options }),
		model,
		thinkingLevel: options.reasoning ?? "off",
		messages: normalizeContext(context).messages,
		...(signal ? { signal } : {}),
	};
	const route = await definition.route(request);
	const name = `${model.provider}/${model.id}`;
	const { model: chosen, thinkingLevel = "off" }: Partial<ModelRoute> = route ?? {};
	if (!chosen) throw new Error(`The virtual model ${name} found no model for this request.`);
	if (isVirtualModel(chosen))
		throw new Error(`The virtual model ${name} routes requests to ${chosen.id}, which is also virtual.`);
	if (!bound.registry.isAvailable(chosen))
		throw new Error(`The virtual model ${name} chose ${chosen.provider}/${chosen.id}, which has no key.`);
	dispatch.onRoute(model, request, route);
	return { bound, chosen, level: fittingLevel(chosen, thinkingLevel) };
}

function knownIn(registry: ModelRegistry): Map<string, Disposable> {
	const known = registered.get(registry) ?? new Map<string, Disposable>();
	registered.set(registry, known);
	return known;
}

/** The gateway: an HTTP server on which clients reach every model with one token, each in its own protocol. */
import { failure, noUsage, type Failure, type Model } from "@tau/ai";
import {
	asList,
	estimatedTokens,
	modelList,
	modelRoute,
	mostTokens,
	nameOf,
	parseObject,
	RequestProblem,
	servedProtocols,
	type Json,
	type ModelRoute,
	type ServedProtocol,
} from "@tau/ai/serving";
import { errorText, log, version } from "@tau/utils";

import { listenAt, type Bind } from "../access/index.ts";
import { Keys, mayUse, type Admission, type Ledger, type MostUse } from "../keys/index.ts";
import type { Exchange, ExchangeEnd } from "./attempts.ts";
import { failureResponse } from "./failures.ts";
import { limits } from "./limits.ts";
import { Metrics } from "./metrics.ts";
import { passOn } from "./pass-on.ts";
import { responseSockets, socketState, type SocketState } from "./response-sockets.ts";
import { answerKeys } from "./key-routes.ts";
import { translate } from "./translate.ts";
import { findModel, otherModel, sharingRests, type Upstream } from "./upstream.ts";
import { corsHeaders, strangerAt, visitorOf, type Visitor, type VisitorRules } from "./visitors.ts";

export interface GatewayOptions {
	bind: Bind;
	upstream: Upstream;
	ledger: Ledger;
	/** Asked at each request, as it may be replaced. Absent: everyone who can reach the address may use it. */
	token?: () => string;
	/** Names of a proxy in front. */
	hosts?: readonly string[];
	/** Pages of these may use it. */
	origins?: readonly string[];
	/** Called for each answer that has ended, for the statistics of the user. */
	onAnswer?(answer: EndedAnswer): void;
}

export interface EndedAnswer extends ExchangeEnd {
	model: Model;
	/** The id of the key, or `owner`. */
	account: string;
	isSubscription: boolean;
}

/** Headers that belong to a protocol and not to the connection or the client's account. */
const protocolHeaders = ["anthropic-version", "anthropic-beta", "openai-beta", "accept", "idempotency-key"];

/** What servers that speak a vendor's protocol say of an address that only the vendor has. */
const cannotCount: ReadonlySet<number> = new Set([404, 405, 501]);

/** One request that has passed the door. */
interface Visit {
	visitor: Visitor;
	route: ModelRoute;
	text: string;
	body: Json;
	headers: Headers;
	signal: AbortSignal;
}

export class Gateway implements AsyncDisposable {
	/** The address with the real port. */
	readonly bind: Bind;
	readonly #upstream: Upstream;
	readonly #rules: VisitorRules;
	readonly #keys: Keys;
	readonly #metrics = new Metrics();
	readonly #onAnswer: GatewayOptions["onAnswer"];
	readonly #server: Bun.Server<SocketState>;
	/** Of bodies that are being read, or wait for their answer to begin, by account. */
	readonly #bodyBytes = new Map<string, number>();

	/** Throws a `UsageError` if the address cannot be used. */
	constructor({ bind, upstream, ledger, token, hosts = [], origins = [], onAnswer }: GatewayOptions) {
		this.#upstream = sharingRests(upstream, ledger);
		this.#keys = new Keys(ledger);
		this.#onAnswer = onAnswer;
		this.#server = listenAt(bind, (address) =>
			Bun.serve({
				...address,
				idleTimeout: limits.idleSeconds,
				maxRequestBodySize: limits.bodyBytes,
				development: false,
				fetch: (request) => this.#answer(request),
				websocket: responseSockets,
				error: (error) => {
					log.error("gateway: a request failed", { reason: error.message });
					return failureResponse(servedProtocols.completions, failure("unknown", "The gateway failed"));
				},
			}),
		);
		this.bind = { ...bind, port: this.#server.port ?? bind.port };
		this.#rules = { bind: this.bind, token, keys: this.#keys, hosts, origins };
	}

	/** Closes all connections, which ends the requests to providers. */
	async [Symbol.asyncDispose](): Promise<void> {
		await this.#server.stop(true);
		await this.#keys[Symbol.asyncDispose]();
	}

	async #answer(request: Request): Promise<Response | undefined> {
		// First: the address of a request has the name, and may be none.
		const stranger = strangerAt(request, this.#rules);
		if (stranger) return failureResponse(servedProtocols.completions, stranger);
		const url = new URL(request.url);
		const route = modelRoute(url);
		const { error } = route?.protocol ?? servedProtocols.completions;
		const cors = corsHeaders(request, this.#rules);
		if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: cors });
		if (url.pathname === "/healthz") return Response.json({ ok: true, version });
		const visitor = await visitorOf(request.headers, this.#rules);
		if ("kind" in visitor) return await formed(route, failureResponse({ error }, visitor, cors));
		if (route && request.headers.get("upgrade")?.toLowerCase() === "websocket") {
			if (this.#connect(request, route)) return undefined;
			return failureResponse({ error }, failure("invalid_request", "Only /v1/responses has websockets"));
		}
		const response = route
			? await formed(route, await this.#visit(request, route, visitor))
			: ((await this.#about(request, url, visitor)) ?? notFound(error, url));
		for (const [name, value] of Object.entries(cors)) response.headers.set(name, value);
		return response;
	}

	async #visit(request: Request, route: ModelRoute, visitor: Visitor): Promise<Response> {
		if (request.method !== "POST")
			return failureResponse(
				route.protocol,
				failure("invalid_request", "Only POST is known here", { status: 405 }),
			);
		const { headers, signal } = request;
		// A body without a length may have any that is allowed.
		const bytes = Number(headers.get("content-length") ?? limits.bodyBytes);
		const own = (this.#bodyBytes.get(visitor.id) ?? 0) + bytes;
		const all = this.#bodyBytes.values().reduce((sum, each) => sum + each, bytes);
		if (all > limits.bodiesBytes || own > limits.accountBodiesBytes) {
			const wait = { status: 503, retryAfterMs: limits.bodyRetryMs };
			return failureResponse(route.protocol, failure("overloaded", "Too many large requests at once", wait));
		}
		this.#bodyBytes.set(visitor.id, own);
		try {
			const text = await request.text();
			const body = parseObject(text);
			if (!body)
				return failureResponse(route.protocol, failure("invalid_request", "The body is not a JSON object"));
			return await this.#ask({ visitor, route, text, body, headers, signal });
		} finally {
			const left = (this.#bodyBytes.get(visitor.id) ?? 0) - bytes;
			if (left > 0) this.#bodyBytes.set(visitor.id, left);
			else this.#bodyBytes.delete(visitor.id);
		}
	}

	#connect(request: Request, route: ModelRoute): boolean {
		if (route.protocol !== servedProtocols.responses) return false;
		const headers = new Headers(request.headers);
		const data = socketState(async (body, signal) => {
			// A connection lasts longer than a key may: each message is a request of its own.
			const visitor = await visitorOf(headers, this.#rules);
			if ("kind" in visitor) return failureResponse(route.protocol, visitor);
			return await this.#ask({ visitor, route, text: JSON.stringify(body), body, headers, signal });
		});
		return this.#server.upgrade(request, { data });
	}

	async #ask(visit: Visit): Promise<Response> {
		const { route, body, headers } = visit;
		const { protocol } = route;
		const { key } = visit.visitor;
		const name = route.model(body);
		const model = route.isOther
			? otherModel(this.#upstream, body)
			: findModel(this.#upstream, name, protocol.api, (each) => !key || mayUse(key, nameOf(each)));
		if (!model) {
			const text = `The gateway has no model "${name}" (GET /v1/models lists them)`;
			return failureResponse(protocol, failure("invalid_request", text, { status: 404 }));
		}
		const isSame = model.api === protocol.api || route.isOther === true;
		const admission = await this.#admit(visit, model);
		if ("kind" in admission) return failureResponse(protocol, admission);
		if (route.isCount && !isSame) {
			void this.#charge(admission, noUsage());
			return estimated(protocol, { ...body, ...route.fields });
		}
		this.#metrics.active++;
		const sessionId = headers.get("session_id") ?? headers.get("x-session-id");
		const exchange: Exchange = {
			upstream: this.#upstream,
			protocol,
			model,
			label: `${model.provider}/${route.isOther ? "*" : model.id}`,
			text: isSame ? passedText(visit, model) : visit.text,
			body: { ...body, ...route.fields },
			path: route.path(model.id),
			headers: headersFor(headers),
			...(sessionId === null ? {} : { sessionId }),
			signal: visit.signal,
			onEnd: (end) => this.#ended(exchange, admission, end, route.isCount),
		};
		try {
			const answer = isSame ? await passOn(exchange) : await translate(exchange);
			return route.isCount && cannotCount.has(answer.status) ? estimated(protocol, exchange.body) : answer;
		} catch (error) {
			exchange.onEnd({ usage: noUsage(), failure: failure("unknown", errorText(error)), firstMs: 0 });
			throw error;
		}
	}

	/** The holder of the gateway's token has no limits. */
	async #admit(
		{ visitor: { id, key }, route, text, body }: Visit,
		model: Model,
	): Promise<Failure | Admission> {
		if (!key) return { id };
		try {
			const most = route.isCount ? { cost: 0, tokens: 0 } : mostUse(model, text.length, body);
			// The prices of a model are those of a conversation.
			const known = route.isOther ? { ...most, cost: undefined } : most;
			return await this.#keys.admit(key, nameOf(model), known);
		} catch (error) {
			log.error("gateway: limits cannot be read", { reason: errorText(error) });
			return failure("overloaded", "The gateway cannot read the limits of keys", { status: 503 });
		}
	}

	#ended(exchange: Exchange, admission: Admission, end: ExchangeEnd, isCount = false): void {
		// An answer ends once, whether it is read to its end, broken, or left.
		exchange.onEnd = () => {};
		const { model, label, lease } = exchange;
		const { failure: why, usage } = end;
		const { id } = admission;
		this.#metrics.active--;
		this.#metrics.ended(label, end);
		// Neither content nor the text of errors, which may quote it.
		if (why) log.info("gateway: failed", { model: label, key: id, kind: why.kind });
		// A failure in the middle of an answer is no evidence about the credential.
		else lease?.report({ kind: "ok", spent: { model: model.id, usage } });
		// The tokens of a request are asked for often, and are no answer in anybody's statistics.
		const isSubscription = lease?.isSubscription === true;
		if (!isCount) this.#onAnswer?.({ ...end, model, account: id, isSubscription });
		void this.#charge(admission, usage);
	}

	async #charge(admission: Admission, usage: ExchangeEnd["usage"]): Promise<void> {
		try {
			await this.#keys.charge(admission, usage);
		} catch (error) {
			log.error("gateway: usage was not counted", { key: admission.id, reason: errorText(error) });
		}
	}

	/** What the gateway says about itself; keys see their own account only. */
	async #about(request: Request, { pathname }: URL, { id, key }: Visitor): Promise<Response | undefined> {
		const made = key ? undefined : await answerKeys(request, pathname, this.#keys);
		if (made) return made;
		const all = this.#upstream.models();
		const models = key ? all.filter((model) => mayUse(key, nameOf(model))) : all;
		const list = modelList(request, pathname, models);
		if (list || request.method !== "GET") return list;
		if (pathname === "/v1/usage") {
			const own = await this.#keys.usage(id);
			if (key) return Response.json(own);
			const [keys, subscriptions] = await Promise.all([
				this.#keys.list(),
				this.#upstream.limits(request.signal),
			]);
			return Response.json({ ...own, keys, subscriptions });
		}
		if (key) return undefined;
		if (pathname === "/v1/credentials/check")
			return Response.json({ credentials: await this.#upstream.check(request.signal) });
		if (pathname === "/metrics")
			return new Response(this.#metrics.text(), { headers: { "content-type": "text/plain; version=0.0.4" } });
		return undefined;
	}
}

/** For a model whose provider is not asked: by estimate, which the answer says. */
function estimated(protocol: ServedProtocol, body: Json): Response {
	try {
		return Response.json(estimatedTokens(protocol, body), { headers: { "x-tau-estimated": "true" } });
	} catch (error) {
		if (!(error instanceof RequestProblem)) throw error;
		return failureResponse(protocol, failure("invalid_request", error.message));
	}
}

/** What a request uses at most, about. */
function mostUse(model: Model, chars: number, body: Json): MostUse {
	const { input, output } = mostTokens(model, chars, body);
	const { cost } = model;
	const dollars = (input * Math.max(cost.input, cost.cacheWrite) + output * cost.output) / 1e6;
	return { cost: dollars, tokens: input + output };
}

function formed(route: ModelRoute | undefined, response: Response): Response | Promise<Response> {
	return route?.isList ? asList(response) : response;
}

function notFound(error: ServedProtocol["error"], { pathname }: URL): Response {
	return failureResponse(
		{ error },
		failure("invalid_request", `The gateway has no ${pathname}`, { status: 404 }),
	);
}

const modelField = /"model"\s*:\s*"[^"\\]*"/gi;
/** A letter of the field's name, written so that the pattern does not see it. */
const escapedLetter = /\\u00[46]/i;

/** The client's own bytes, but for a model that it names differently than the provider does. */
function passedText({ text, body }: Visit, { id }: Model): string {
	if (typeof body.model !== "string") return text;
	const isClear = text.match(modelField)?.length === 1 && !escapedLetter.test(text);
	if (isClear)
		return body.model === id ? text : text.replace(modelField, () => `"model":${JSON.stringify(id)}`);
	// Servers differ in which of two fields they read: the one that was allowed is the only one that they get.
	const others = Object.entries(body).filter(([name]) => name.toLowerCase() !== "model");
	return JSON.stringify({ ...Object.fromEntries(others), model: id });
}

function headersFor(headers: Headers): Record<string, string> {
	const own: Record<string, string> = {};
	for (const name of protocolHeaders) {
		const value = headers.get(name);
		if (value !== null) own[name] = value;
	}
	return own;
}

/** The gateway: an HTTP server on which clients reach every model with one token, each in its own protocol. */
import { failure, type Failure, type Model, type Usage } from "@tau/ai";
import { parseObject, servedProtocols, type Json, type ServedProtocol } from "@tau/ai/serving";
import { errorText, log, version } from "@tau/utils";

import type { Bind } from "../access/index.ts";
import { Keys, ownerId, type Ledger } from "../keys/index.ts";
import { estimateTokens, modelList } from "./about-models.ts";
import type { Exchange, ExchangeEnd } from "./attempts.ts";
import { failureResponse } from "./failures.ts";
import { limits } from "./limits.ts";
import { Metrics } from "./metrics.ts";
import { passOn } from "./pass-on.ts";
import { responseSockets, socketState, type SocketState } from "./response-sockets.ts";
import { answerKeys } from "./key-routes.ts";
import { modelRoute, otherRoute, type ModelRoute } from "./routes.ts";
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
}

/** Headers that belong to a protocol and not to the connection or the client's account. */
const protocolHeaders = ["anthropic-version", "anthropic-beta", "openai-beta", "accept", "idempotency-key"];

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
	readonly #bind: Bind;
	readonly #upstream: Upstream;
	readonly #rules: VisitorRules;
	readonly #keys: Keys;
	readonly #metrics = new Metrics();
	readonly #stop = new AbortController();
	readonly #server: Bun.Server<SocketState>;

	/** Throws when the port is in use. */
	constructor({ bind, upstream, ledger, token, hosts = [], origins = [] }: GatewayOptions) {
		this.#bind = bind;
		this.#upstream = sharingRests(upstream, ledger);
		this.#keys = new Keys(ledger);
		this.#rules = { bind: () => this.bind, token, keys: this.#keys, hosts, origins };
		this.#server = Bun.serve({
			hostname: bind.hostname,
			port: bind.port,
			idleTimeout: limits.idleSeconds,
			maxRequestBodySize: limits.bodyBytes,
			development: false,
			fetch: (request) => this.#answer(request),
			websocket: responseSockets,
			error: (error) => {
				log.error("gateway: a request failed", { reason: error.message });
				return failureResponse(servedProtocols.completions, failure("unknown", "The gateway failed"));
			},
		});
	}

	/** The address with the real port. */
	get bind(): Bind {
		return { ...this.#bind, port: this.#server.port ?? this.#bind.port };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#stop.abort();
		await this.#server.stop(true);
	}

	async #answer(request: Request): Promise<Response | undefined> {
		const url = new URL(request.url);
		const route = modelRoute(url) ?? otherRoute(url);
		const { error } = route?.protocol ?? servedProtocols.completions;
		const stranger = strangerAt(request, this.#rules);
		if (stranger) return failureResponse({ error }, stranger);
		const cors = corsHeaders(request, this.#rules);
		if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: cors });
		if (url.pathname === "/healthz") return Response.json({ ok: true, version });
		const visitor = await visitorOf(request, this.#rules);
		if ("kind" in visitor) return failureResponse({ error }, visitor, cors);
		if (route && request.headers.get("upgrade")?.toLowerCase() === "websocket") {
			if (this.#connect(request, route, visitor)) return undefined;
			return failureResponse({ error }, failure("invalid_request", "Only /v1/responses has websockets"));
		}
		const response = route
			? await this.#visit(request, route, visitor)
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
		const text = await request.text();
		const body = parseObject(text);
		if (!body)
			return failureResponse(route.protocol, failure("invalid_request", "The body is not a JSON object"));
		return await this.#ask({ visitor, route, text, body, headers: request.headers, signal: request.signal });
	}

	#connect(request: Request, route: ModelRoute, visitor: Visitor): boolean {
		if (route.protocol !== servedProtocols.responses) return false;
		const { headers } = request;
		const data = socketState((body, signal) =>
			this.#ask({ visitor, route, text: JSON.stringify(body), body, headers, signal }),
		);
		return this.#server.upgrade(request, { data });
	}

	async #ask(visit: Visit): Promise<Response> {
		const { route, body, visitor, headers } = visit;
		const { protocol } = route;
		const name = route.model(body);
		const model = route.isOther
			? otherModel(this.#upstream, body)
			: findModel(this.#upstream, name, protocol.api);
		const refused = model
			? await this.#admit(visitor, model)
			: failure("invalid_request", `The gateway has no model "${name}" (GET /v1/models lists them)`, {
					status: 404,
				});
		if (refused || !model) return failureResponse(protocol, refused ?? failure("unknown", "No model"));
		const isSame = model.api === protocol.api || route.isOther === true;
		if (route.isCount && !isSame) return estimateTokens(protocol, { ...body, ...route.fields });
		this.#metrics.active++;
		const sessionId = headers.get("session_id") ?? headers.get("x-session-id");
		const exchange: Exchange = {
			upstream: this.#upstream,
			protocol,
			model,
			text: isSame ? passedText(visit, model) : visit.text,
			body: { ...body, ...route.fields },
			path: route.path(model.id),
			headers: headersFor(headers),
			...(sessionId === null ? {} : { sessionId }),
			signal: AbortSignal.any([visit.signal, this.#stop.signal]),
			onEnd: this.#onEnd(visitor, model),
		};
		return isSame ? await passOn(exchange) : await translate(exchange);
	}

	/** The holder of the gateway's token has no limits. */
	async #admit({ key }: Visitor, model: Model): Promise<Failure | undefined> {
		if (!key) return undefined;
		try {
			return await this.#keys.admit(key, `${model.provider}/${model.id}`);
		} catch (error) {
			log.error("gateway: limits cannot be read", { reason: errorText(error) });
			return failure("overloaded", "The gateway cannot read the limits of keys", { status: 503 });
		}
	}

	/** An answer ends once, whether it is read to its end, broken, or left. */
	#onEnd({ id }: Visitor, model: Model): (end: ExchangeEnd) => void {
		let isOver = false;
		return (end) => {
			if (isOver) return;
			isOver = true;
			this.#metrics.active--;
			this.#metrics.ended(model, end);
			const { failure: why, usage } = end;
			// Neither content nor the text of errors, which may quote it.
			if (why)
				log.info("gateway: failed", { model: `${model.provider}/${model.id}`, key: id, kind: why.kind });
			void this.#charge(id, usage);
		};
	}

	async #charge(id: string, usage: Usage): Promise<void> {
		try {
			await this.#keys.charge(id, usage, id === ownerId ? 1 : 0);
		} catch (error) {
			log.error("gateway: usage was not counted", { key: id, reason: errorText(error) });
		}
	}

	/** What the gateway says about itself; keys see their own account only. */
	async #about(request: Request, { pathname }: URL, { id, key }: Visitor): Promise<Response | undefined> {
		const made = key ? undefined : await answerKeys(request, pathname, this.#keys);
		if (made) return made;
		const list = modelList(request, pathname, this.#upstream.models());
		if (list || request.method !== "GET") return list;
		if (pathname === "/v1/usage") {
			const own = await this.#keys.usage(id);
			return Response.json(key ? own : { ...own, keys: await this.#keys.list() });
		}
		if (key) return undefined;
		if (pathname === "/v1/credentials/check")
			return Response.json({ credentials: await this.#upstream.check(request.signal) });
		if (pathname === "/metrics")
			return new Response(this.#metrics.text(), { headers: { "content-type": "text/plain; version=0.0.4" } });
		return undefined;
	}
}

function notFound(error: ServedProtocol["error"], { pathname }: URL): Response {
	return failureResponse(
		{ error },
		failure("invalid_request", `The gateway has no ${pathname}`, { status: 404 }),
	);
}

/** The client's own bytes, unless it names the model differently than the provider does. */
function passedText({ text, body }: Visit, { id }: Model): string {
	return typeof body.model !== "string" || body.model === id ? text : JSON.stringify({ ...body, model: id });
}

function headersFor(headers: Headers): Record<string, string> {
	return Object.fromEntries(
		protocolHeaders.flatMap((name) => {
			const value = headers.get(name);
			return value === null ? [] : [[name, value]];
		}),
	);
}

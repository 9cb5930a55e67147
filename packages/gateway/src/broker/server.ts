/** The broker over HTTP: routes, tokens, waits and streams. */
import { dirname, join } from "node:path";

import { fromWire, refreshSentinel, type OAuthFlow } from "@tau/ai/broker";
import { CredentialError } from "@tau/ai";
import { abortable, delay, isRecord, log, oneLine, version, withTimeout, type Env } from "@tau/utils";

import { bearerOf, isOwnHost, isToken, listenAt, type Bind } from "../access/index.ts";
import { Custody, schedule } from "./custody.ts";
import { limits } from "./limits.ts";
import { readObserved } from "./observed.ts";
import { Refresher } from "./refresher.ts";
import { UsageRecords } from "./usage-records.ts";
import { UsageReports } from "./usage.ts";

export interface BrokerOptions {
	bind: Bind;
	/** Names under which a proxy in front is reached. */
	hosts?: readonly string[];
	/** The token that clients must have; read for each request, because it may be replaced. */
	token(): string;
	/** The database of credentials. */
	path: string;
	env: Env;
	onNotice(message: string): void;
	now?: () => number;
	flows?: readonly OAuthFlow[];
}

/** An answer that is an error. */
class HttpError extends Error {
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.status = status;
	}
}

type Handler = (request: Request, match: RegExpExecArray, url: URL) => Response | Promise<Response>;

interface Route {
	method: string;
	path: RegExp;
	run: Handler;
}

export class BrokerServer implements AsyncDisposable {
	readonly #options: BrokerOptions;
	readonly #custody: Custody;
	readonly #refresher: Refresher;
	readonly #records: UsageRecords;
	readonly #usage: UsageReports;
	readonly #server: Bun.Server<undefined>;
	readonly #stop = new AbortController();
	readonly #routes: readonly Route[];

	/** Throws a `UsageError` if the address cannot be used, and a `CredentialError` if the database cannot. */
	constructor(options: BrokerOptions) {
		this.#options = options;
		const { path, env, onNotice, flows } = options;
		const now = options.now ?? Date.now;
		this.#custody = new Custody({ path, env, now, onNotice, ...(flows ? { flows } : {}) });
		this.#records = new UsageRecords(join(dirname(path), "broker.db"));
		this.#usage = new UsageReports({ custody: this.#custody, records: this.#records, env, now });
		this.#routes = this.#table();
		try {
			this.#server = listenAt(options.bind, (address) =>
				Bun.serve({
					...address,
					idleTimeout: limits.idleSeconds,
					maxRequestBodySize: limits.bodyBytes,
					fetch: (request) => this.#answer(request),
				}),
			);
		} catch (error) {
			this.#records[Symbol.dispose]();
			this.#custody[Symbol.dispose]();
			throw error;
		}
		this.#refresher = new Refresher(this.#custody, now);
		void this.#refresher.sweep();
	}

	get port(): number {
		return this.#server.port ?? this.#options.bind.port;
	}

	/** Renews what is due now; the timer does so every minute. */
	sweep(): Promise<void> {
		return this.#refresher.sweep();
	}

	/** Waits end at once; renewals are stored and answered first. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#refresher[Symbol.dispose]();
		this.#stop.abort();
		void this.#server.stop();
		const deadline = Date.now() + limits.stopMs;
		while (this.#server.pendingRequests > 0 && Date.now() < deadline) await delay(limits.stopPollMs);
		await this.#server.stop(true);
		using timeout = withTimeout(undefined, Math.max(0, deadline - Date.now()), "a renewal takes too long");
		await abortable(this.#custody.settle(), timeout.signal).catch((error: unknown) => {
			log.warn("the auth broker ends before a renewal", { reason: String(error) });
		});
		this.#records[Symbol.dispose]();
		this.#custody[Symbol.dispose]();
	}

	#table(): Route[] {
		const route = (method: string, path: string, run: Handler): Route => ({
			method,
			path: new RegExp(`^${path.replace(":id", "(\\d{1,16})")}$`),
			run,
		});
		return [
			route("GET", "/v1/snapshot", (request, _, url) => this.#snapshot(request, url)),
			route("GET", "/v1/snapshot/stream", (request) => this.#stream(request)),
			route("POST", "/v1/credential", (request) => this.#add(request)),
			route("POST", "/v1/credential/:id/refresh", (request, match) => this.#refresh(request, idOf(match))),
			route("POST", "/v1/credential/:id/disable", (request, match) => this.#disable(request, idOf(match))),
			route("POST", "/v1/credential/:id/block", (request, match) => this.#block(request, idOf(match))),
			route("DELETE", "/v1/credential/:id/blocks", (_, match) => this.#unblock(idOf(match))),
			route("GET", "/v1/credentials/disabled", (_, __, url) => this.#disabled(url)),
			route("GET", "/v1/usage", () => this.#currentUsage()),
			route("GET", "/v1/usage/history", (_, __, url) => this.#usageHistory(url)),
			route("GET", "/v1/usage/clients", (_, __, url) => this.#usageClients(url)),
			route("POST", "/v1/usage/observed", (request) => this.#observe(request)),
			route("POST", "/v1/usage/stale", () => this.#forgetUsage()),
		];
	}

	async #answer(request: Request): Promise<Response> {
		const response = await this.#route(request).catch((error: unknown) => errorAnswer(error));
		log.debug("auth broker", { method: request.method, status: response.status });
		return response;
	}

	async #route(request: Request): Promise<Response> {
		const { bind, hosts, token } = this.#options;
		if (!isOwnHost(request.headers.get("host"), { ...bind, port: this.port }, hosts))
			throw new HttpError(421, "This is not a name of the auth broker. Start it with --host <name>.");
		// The address of a request has the name, and is none with a wrong one.
		const url = new URL(request.url);
		if (url.pathname === "/v1/healthz" && request.method === "GET") return answer({ ok: true, version });
		if (!isToken(bearerOf(request), token())) throw new HttpError(401, "The token is missing or wrong.");
		const routes = this.#routes.filter(({ path }) => path.test(url.pathname));
		if (routes.length === 0) throw new HttpError(404, "There is nothing at this path.");
		const route = routes.find(({ method }) => method === request.method);
		const match = route?.path.exec(url.pathname);
		if (!route || !match) throw new HttpError(405, `${request.method} is not possible here.`);
		return route.run(request, match, url);
	}

	async #snapshot(request: Request, url: URL): Promise<Response> {
		const waitMs = Math.min(
			Math.max(0, Math.trunc(Number(url.searchParams.get("wait")) || 0)),
			limits.waitMs,
		);
		const known = generationOf(request.headers.get("if-none-match"));
		const isKnown = known !== undefined && known === this.#custody.generation;
		if (isKnown && waitMs > 0) await this.#change(waitMs, request.signal);
		const { generation } = this.#custody;
		const headers = { etag: `"${generation}"` };
		if (request.signal.aborted) return new Response(null, { status: 499, headers: { ...plain, ...headers } });
		if (isKnown && known === generation)
			return new Response(null, { status: 304, headers: { ...plain, ...headers } });
		return answer(this.#custody.snapshot(this.#refresher.nextSweepInMs), { headers });
	}

	/** Ends at the first change, after the time, or when nobody waits any more. */
	async #change(ms: number, signal: AbortSignal): Promise<void> {
		if (this.#custody.isFull) throw new HttpError(503, "Too many clients wait.");
		const changed = Promise.withResolvers<void>();
		using _ = this.#custody.listen(() => changed.resolve());
		using deadline = withTimeout(AbortSignal.any([signal, this.#stop.signal]), ms, "nothing has changed");
		deadline.signal.addEventListener("abort", () => changed.resolve());
		await changed.promise;
	}

	#stream(request: Request): Response {
		if (this.#custody.isFull) throw new HttpError(503, "Too many clients wait.");
		const owned = new DisposableStack();
		const end = AbortSignal.any([request.signal, this.#stop.signal]);
		const encoder = new TextEncoder();
		const body = new ReadableStream<Uint8Array>({
			start: (controller) => {
				const send = (kind: string, data: object): void => {
					controller.enqueue(
						encoder.encode(`event: ${kind}\ndata: ${JSON.stringify({ kind, ...data })}\n\n`),
					);
				};
				const common = (generation: number): object => ({
					generation,
					serverNowMs: this.#now(),
					refresher: schedule(this.#refresher.nextSweepInMs),
				});
				// Before it listens: making a snapshot finds changes, which are part of it.
				send("snapshot", this.#custody.snapshot(this.#refresher.nextSweepInMs));
				const listening = this.#custody.listen((changes, generation) => {
					for (const { kind, ...change } of changes) send(kind, { ...common(generation), ...change });
				});
				owned.use(listening);
				const timer = setInterval(
					() => controller.enqueue(encoder.encode(": still here\n\n")),
					limits.keepAliveMs,
				);
				owned.defer(() => clearInterval(timer));
				end.addEventListener("abort", () => {
					if (owned.disposed) return;
					owned.dispose();
					controller.close();
				});
			},
			cancel: () => owned.dispose(),
		});
		return new Response(body, { headers: { ...plain, "content-type": "text/event-stream" } });
	}

	async #add(request: Request): Promise<Response> {
		const { provider, credential } = await bodyOf(request);
		const stored = fromWire(credential);
		if (typeof provider !== "string" || !/^[\w.@/-]{1,200}$/.test(provider) || !stored)
			throw new HttpError(
				400,
				"Not a credential: provider, and an api_key or oauth credential, are required.",
			);
		if (stored.refresh === refreshSentinel)
			throw new HttpError(400, "This credential is borrowed: its refresh token is with another broker.");
		return answer({ entries: this.#custody.add(provider, stored) });
	}

	async #refresh(request: Request, id: number): Promise<Response> {
		const { seen, rejected } = await bodyOf(request);
		const entry = await this.#custody.refresh(id, {
			seen: typeof seen === "string" ? seen : undefined,
			// A client that does not say asks because its token was refused.
			rejected: rejected !== false,
		});
		if (!entry) throw gone(id);
		return answer({ entry });
	}

	async #disable(request: Request, id: number): Promise<Response> {
		const { cause } = await bodyOf(request);
		const refused =
			oneLine(typeof cause === "string" ? cause : "", limits.causeChars) || "a client disabled it";
		if (!this.#custody.change(id, () => ({ refused }))) throw gone(id);
		return answer({ ok: true });
	}

	async #block(request: Request, id: number): Promise<Response> {
		const { blockedUntilMs } = await bodyOf(request);
		const now = this.#now();
		if (typeof blockedUntilMs !== "number" || !(blockedUntilMs > 0))
			throw new HttpError(400, "blockedUntilMs is required: milliseconds since 1970.");
		const until = Math.min(blockedUntilMs, now + limits.blockMs);
		if (!this.#custody.change(id, ({ restsUntil }) => ({ restsUntil: Math.max(restsUntil, until) })))
			throw gone(id);
		return answer({ ok: true });
	}

	#unblock(id: number): Response {
		if (!this.#custody.change(id, () => ({ restsUntil: 0, strikes: 0 }))) throw gone(id);
		return answer({ ok: true });
	}

	#disabled(url: URL): Response {
		const provider = url.searchParams.get("provider") ?? undefined;
		return answer({ generatedAt: this.#now(), disabled: this.#custody.disabled(provider) });
	}

	async #currentUsage(): Promise<Response> {
		return answer({ generatedAt: this.#now(), reports: await this.#usage.all(this.#stop.signal) });
	}

	#usageHistory(url: URL): Response {
		const provider = url.searchParams.get("provider") ?? undefined;
		return answer({ generatedAt: this.#now(), entries: this.#records.history(sinceOf(url), provider) });
	}

	#usageClients(url: URL): Response {
		return answer({ generatedAt: this.#now(), clients: this.#records.clients(sinceOf(url)) });
	}

	async #observe(request: Request): Promise<Response> {
		const now = this.#now();
		const observed = readObserved(await bodyOf(request), now);
		if (!observed) throw new HttpError(400, "Not a report of usage: installId and entries are required.");
		this.#records.observe(observed.client, observed.entries, now);
		return answer({ ok: true });
	}

	#forgetUsage(): Response {
		this.#usage.forget();
		return answer({ ok: true });
	}

	#now(): number {
		return (this.#options.now ?? Date.now)();
	}
}

function sinceOf(url: URL): number {
	return Math.max(0, Math.trunc(Number(url.searchParams.get("sinceMs")) || 0));
}

/** Of every answer: it has secrets, and no page may read it. */
const plain = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

function answer(
	body: unknown,
	{ status = 200, headers = {} }: { status?: number; headers?: object } = {},
): Response {
	return Response.json(body, { status, headers: { ...plain, ...headers } });
}

function errorAnswer(error: unknown): Response {
	if (error instanceof HttpError) {
		const headers = error.status === 401 ? { "www-authenticate": "Bearer" } : {};
		return answer({ error: error.message }, { status: error.status, headers });
	}
	if (error instanceof CredentialError) return answer({ error: error.message }, { status: 502 });
	log.error("auth broker", { reason: String(error) });
	return answer({ error: "The auth broker failed; its log has the reason." }, { status: 500 });
}

function gone(id: number): HttpError {
	return new HttpError(
		404,
		`The auth broker has no usable credential ${id}. Run tau auth-broker list on its host.`,
	);
}

function idOf(match: RegExpExecArray): number {
	return Number(match[1]);
}

/** `"42"`, `W/"42"` and `42`. */
function generationOf(tag: string | null): number | undefined {
	const number = /^(?:W\/)?"?(\d{1,16})"?$/.exec(tag?.trim() ?? "")?.[1];
	return number === undefined ? undefined : Number(number);
}

/** An empty body is an empty object. */
async function bodyOf(request: Request): Promise<Record<string, unknown>> {
	const text = await request.text();
	if (text.trim() === "") return {};
	try {
		const value: unknown = JSON.parse(text);
		if (isRecord(value)) return value;
	} catch {
		// Answered below, without a quote: it may contain a secret.
	}
	throw new HttpError(400, "The body is not a JSON object.");
}

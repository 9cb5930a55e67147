/** The relay as a server: routes, WebSockets, drain. */
import type { Server } from "bun";

import { parseBinding, TrustedProxies, type Binding } from "./address.ts";
import { AddressBuckets } from "./buckets.ts";
import { codes } from "./codes.ts";
import { allowances, limits } from "./limits.ts";
import type { Member, NodeParts } from "./member.ts";
import { Metrics } from "./metrics.ts";
import { NativeGuest, NativeHost } from "./native.ts";
import { OmpMember } from "./omp-member.ts";
import { PushForwarder, type PushOptions } from "./push.ts";
import { RedisExchange } from "./redis/exchange.ts";
import { openShareStore } from "./share-store.ts";
import { Shares } from "./shares.ts";
import { Rooms } from "./rooms.ts";

/** Answers with a file of the browsers' client and all its headers, or with nothing if it has no such file. */
export type Page = (request: Request, path: string) => Promise<Response | undefined>;

export interface RelayOptions {
	/** `host:port`, a port of this machine, or the path of a Unix socket; port 0 takes a free one. */
	readonly bind: string;
	/** Whose X-Forwarded-For is believed. */
	readonly proxies?: readonly string[];
	/** The client that is served at `/`. */
	readonly page?: Page;
	/** A room waits this long for its host. */
	readonly hostAwayMs?: number;
	/** Members of a node that drains are sent elsewhere over this time, so that they do not all arrive at once. */
	readonly drainMs?: number;
	/** Where shares are kept: a directory, or `s3://bucket/prefix`. Without it there are none. */
	readonly shares?: string;
	/** The Redis servers that several nodes share; each room is in one of them. */
	readonly redis?: readonly string[];
	/** Forwards notifications to browsers; without it there are none. */
	readonly push?: PushOptions;
	/** Says what an operator should know: never about a room or its members. */
	readonly log?: (line: string) => void;
}

export interface Relay extends AsyncDisposable {
	/** `http://127.0.0.1:7475`, or the path of the socket. */
	readonly url: string;
	/** Messages that members of this node have got so far. */
	readonly deliveries: number;
	/** Sends all members elsewhere; resolves when they are gone, or had time enough. */
	drain(): Promise<void>;
}

/** Fails if it cannot listen; a Redis that is away is tried again and again. */
export async function startRelay(options: RelayOptions): Promise<Relay> {
	const { redis = [], hostAwayMs = limits.hostAwayMs, log = () => undefined } = options;
	const metrics = new Metrics();
	const exchange =
		redis.length > 0
			? await RedisExchange.connect({
					urls: redis,
					metrics,
					hostAwayMs,
					log,
					onSafe: (room) => rooms.acknowledgeSoon(room),
				})
			: undefined;
	await using owned = new AsyncDisposableStack();
	const rooms: Rooms = owned.use(new Rooms({ metrics, hostAwayMs, ...(exchange && { exchange }) }));
	const store = options.shares === undefined ? undefined : await openShareStore(options.shares);
	const shares = store && owned.use(new Shares(store, metrics, log));
	const server = new RelayServer(options, { metrics, rooms, shares });
	owned.move();
	return server;
}

interface ServerParts {
	readonly metrics: Metrics;
	readonly rooms: Rooms;
	readonly shares: Shares | undefined;
}

const roomPath = /^\/r\/([\w-]{10,64})$/;

class RelayServer implements Relay {
	readonly #owned: ServerParts;
	readonly #parts: NodeParts;
	readonly #proxies: TrustedProxies;
	readonly #page: Page | undefined;
	/** Also those that have not joined a room yet. */
	readonly #members = new Set<Member>();
	readonly #connections = new AddressBuckets(allowances.connections);
	readonly #server: Server<Member>;
	readonly #drainMs: number;
	#isDraining = false;
	readonly url: string;

	constructor(options: RelayOptions, owned: ServerParts) {
		this.#owned = owned;
		const { metrics, rooms } = owned;
		const push = options.push && new PushForwarder(options.push, metrics);
		this.#parts = { rooms, metrics, ...(push && { push }) };
		this.#proxies = new TrustedProxies(options.proxies ?? []);
		this.#page = options.page;
		this.#drainMs = options.drainMs ?? limits.drainMs;
		const binding = parseBinding(options.bind);
		this.#server = this.#listen(binding);
		this.url =
			"unix" in binding ? binding.unix : `http://${bracketed(binding.hostname)}:${this.#server.port}`;
		metrics.gauge("connections", "Open connections", () => this.#members.size);
		metrics.gauge("rooms", "Rooms that this node knows", () => rooms.count);
		if (rooms.exchange)
			metrics.gauge("redis_up", "1 while Redis can be reached", () => Number(rooms.exchange?.isUp));
		metrics.gauge("draining", "1 while the node sends its members elsewhere", () => Number(this.#isDraining));
	}

	get deliveries(): number {
		return this.#owned.metrics.get("deliveries");
	}

	async drain(): Promise<void> {
		this.#isDraining = true;
		const leaving = [...this.#members].map(async (member) => {
			const ms = Math.floor(Math.random() * this.#drainMs);
			member.notify({ t: "move", ms });
			await Bun.sleep(ms + limits.moveMs);
			member.close(codes.restart);
		});
		await Promise.all(leaving);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#isDraining = true;
		for (const member of this.#members) member.close(codes.restart);
		this.#owned.shares?.[Symbol.dispose]();
		await this.#server.stop(true);
		await this.#owned.rooms[Symbol.asyncDispose]();
	}

	#listen(binding: Binding): Server<Member> {
		return Bun.serve<Member>({
			// Bun has no such time for Unix sockets.
			...("unix" in binding ? binding : { ...binding, idleTimeout: 60 }),
			maxRequestBodySize: limits.share.bytes,
			fetch: (request, server) => this.#answer(request, server),
			error: () => new Response("internal error\n", { status: 500 }),
			websocket: {
				// Larger messages are answered with a code that says so; far larger ones are cut off by Bun.
				maxPayloadLength: 2 * limits.ompFrameBytes,
				backpressureLimit: 4 * limits.pendingBytes,
				idleTimeout: limits.silentSeconds,
				sendPings: true,
				perMessageDeflate: false,
				open: (socket) => {
					this.#members.add(socket.data);
					this.#owned.metrics.add("connections_opened");
					socket.data.open(socket);
				},
				message: ({ data }, message) =>
					typeof message === "string" ? data.onText(message) : data.onBinary(message),
				drain: ({ data }) => data.onDrain(),
				close: ({ data }) => {
					this.#members.delete(data);
					data.onClose();
				},
			},
		});
	}

	async #answer(request: Request, server: Server<Member>): Promise<Response | undefined> {
		const url = new URL(request.url);
		const { pathname: path, searchParams } = url;
		if (path === "/healthz") return text(200, "ok");
		if (path === "/readyz") return this.#isDraining ? text(503, "draining") : text(200, "ready");
		if (path === "/metrics")
			return new Response(this.#owned.metrics.text(), {
				headers: { "content-type": "text/plain; version=0.0.4" },
			});
		if (path === "/push/key") {
			const key = this.#parts.push?.publicKey;
			return key === undefined ? text(404, "this relay forwards no notifications") : Response.json({ key });
		}
		const address = this.#proxies.clientOf(request, server.requestIP(request)?.address);
		if (path.startsWith("/r/")) return this.#upgrade(request, server, { path, searchParams, address });
		if (path === "/s" || path.startsWith("/s/")) {
			const { shares } = this.#owned;
			const answer = shares
				? await shares.answer(request, url, address)
				: text(404, "this relay keeps no shares");
			if (answer) return answer;
		}
		if (request.method !== "GET" && request.method !== "HEAD") return text(405, "method not allowed");
		return (await this.#page?.(request, path)) ?? text(404, "not found");
	}

	#upgrade(
		request: Request,
		server: Server<Member>,
		{ path, searchParams, address }: { path: string; searchParams: URLSearchParams; address: string },
	): Response | undefined {
		const refuse = (status: number, why: string): Response => {
			this.#owned.metrics.add("connections_refused");
			return text(status, why);
		};
		const [, room] = roomPath.exec(path) ?? [];
		const role = searchParams.get("role");
		if (room === undefined || (role !== "host" && role !== "guest"))
			return refuse(400, "rooms are /r/<room>?role=host or ?role=guest");
		if (this.#isDraining) return refuse(503, "this node restarts, connect again");
		if (!this.#connections.take(address)) return refuse(429, "too many connections from this address");
		const data =
			searchParams.get("v") !== "1"
				? new OmpMember(this.#parts, `omp:${room}`, role === "host" ? address : undefined)
				: role === "host"
					? new NativeHost(this.#parts, room, address)
					: new NativeGuest(this.#parts, `v1:${room}`);
		if (server.upgrade(request, { data })) return undefined;
		return refuse(426, "rooms are WebSockets");
	}
}

function text(status: number, body: string): Response {
	return new Response(`${body}\n`, { status, headers: { "cache-control": "no-store" } });
}

function bracketed(hostname: string): string {
	return hostname.includes(":") ? `[${hostname}]` : hostname;
}

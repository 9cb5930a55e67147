/** The way out of a sandbox: a proxy in this process, which decides about each connection by the name of its host. */
import { chmodSync } from "node:fs";
import type { Server, Socket } from "node:net";

import { abortable, log, timer, withTimeout } from "@tau/utils";

import { net } from "@tau/sys/node-library";
import { limits } from "../limits.ts";
import type { NetworkRules } from "../profile.ts";
import { addressKind } from "./addresses.ts";
import { parseRequest, type ProxyRequest, type Target } from "./request.ts";

/** A connection that was refused, and why. */
export interface RefusedHost extends Target {
	readonly reason: string;
	readonly at: number;
	/** The host was allowed, and has no address: nothing was denied. */
	readonly isUnresolved?: boolean;
}

/** Why no connection is made. */
type RefusalReason = Pick<RefusedHost, "reason" | "isUnresolved">;

type Request = Extract<ProxyRequest, Target>;

export class HostProxy implements AsyncDisposable {
	readonly #rules: NetworkRules;
	/** Who refuses, in messages. */
	readonly #name: string;
	readonly #server: Server;
	readonly #sockets = new Set<Socket>();
	readonly #refused: RefusedHost[] = [];
	/** Questions that are pending: a program opens several connections to one host. */
	readonly #pending = new Map<string, Promise<boolean>>();
	/** When each was declined. */
	readonly #declined = new Map<string, number>();

	/** Listens at a Unix socket that only this user can reach. */
	static async listen(path: string, rules: NetworkRules): Promise<HostProxy> {
		const proxy = new HostProxy(rules, "Tau's sandbox");
		await proxy.#listen({ path });
		chmodSync(path, 0o600);
		return proxy;
	}

	/** Listens at a port of the loopback, for a program that knows no other proxies, such as a browser. */
	static async listenAtPort(rules: NetworkRules): Promise<HostProxy> {
		const proxy = new HostProxy(rules, "Tau");
		await proxy.#listen({ host: "127.0.0.1", port: 0 });
		return proxy;
	}

	private constructor(rules: NetworkRules, name: string) {
		this.#rules = rules;
		this.#name = name;
		this.#server = net().createServer((socket) => this.#serve(socket));
	}

	/** Undefined at a Unix socket. */
	get port(): number | undefined {
		const address = this.#server.address();
		return typeof address === "object" ? address?.port : undefined;
	}

	/** Since a time of `performance.now()`. */
	refusedSince(at: number): readonly RefusedHost[] {
		return this.#refused.filter((refused) => refused.at >= at);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const socket of this.#sockets) socket.destroy();
		const closed = Promise.withResolvers<void>();
		this.#server.close(() => closed.resolve());
		await closed.promise;
	}

	async #listen(place: { path: string } | { host: string; port: number }): Promise<void> {
		const listening = Promise.withResolvers<void>();
		this.#server.once("error", listening.reject);
		this.#server.listen(place, listening.resolve);
		await listening.promise;
		this.#server.unref();
	}

	#serve(socket: Socket): void {
		if (this.#sockets.size >= limits.proxyConnections) return void socket.destroy();
		this.#own(socket);
		let bytes = Buffer.alloc(0);
		let chunks = 0;
		let greeted = false;
		const late = timer(limits.proxyHeadMs, () => socket.destroy());
		socket.once("close", () => late[Symbol.dispose]());
		const onData = (chunk: Buffer): void => {
			// Byte by byte, a head would be read a thousand times.
			if (++chunks > limits.proxyHeadChunks) return void socket.destroy();
			bytes = Buffer.concat([bytes, chunk]);
			let request = parseRequest(bytes, greeted);
			if (request.type === "greeting") {
				greeted = true;
				bytes = bytes.subarray(request.length);
				// No authentication: only the sandbox reaches us.
				socket.write(Buffer.from([5, 0]));
				request = parseRequest(bytes, greeted);
			}
			if (request.type === "incomplete" || request.type === "greeting") return;
			socket.off("data", onData);
			socket.pause();
			late[Symbol.dispose]();
			if (request.type === "invalid")
				return void socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
			this.#handle(socket, request, bytes.subarray(request.length)).catch((error: unknown) => {
				log.warn("a connection of the sandbox failed", { reason: String(error) });
				socket.destroy();
			});
		};
		socket.on("data", onData);
	}

	async #handle(socket: Socket, request: Request, rest: Buffer): Promise<void> {
		const address = await this.#addressFor(request);
		if (typeof address !== "string") {
			const { host, port } = request;
			this.#refused.push({ host, port, ...address, at: performance.now() });
			if (this.#refused.length > limits.refusedHosts) this.#refused.shift();
			if (address.isUnresolved) return void socket.end(failure(request, address.reason));
			return void socket.end(refusal(request, `${this.#name} refused`, address.reason));
		}
		const upstream = net().connect({ host: address, port: request.port, timeout: limits.proxyConnectMs });
		this.#own(upstream);
		upstream.once("timeout", () => upstream.destroy(new Error("timed out")));
		const failed = (error: Error): void => void socket.end(failure(request, error.message));
		upstream.once("error", failed);
		upstream.once("connect", () => {
			upstream.setTimeout(0);
			upstream.off("error", failed);
			if (request.type === "forward") upstream.write(request.head);
			else socket.write(request.protocol === "http" ? established : socksReply(0));
			if (rest.length > 0) upstream.write(rest);
			socket.pipe(upstream);
			upstream.pipe(socket);
		});
	}

	/** The address to connect to: resolved once, so that the name cannot mean another one afterwards. */
	async #addressFor({ host, port }: Target): Promise<string | RefusalReason> {
		const isNew = !this.#pending.has(keyOf({ host, port }));
		if (isNew && this.#pending.size >= limits.pendingHosts)
			return { reason: "too many open questions about hosts" };
		if (!(await this.#allowed(host, port))) return { reason: "the host is not allowed" };
		const addresses = await resolve(host);
		if (addresses.length === 0)
			return { reason: "DNS lookup failed (not blocked by the sandbox)", isUnresolved: true };
		if (this.#rules.allowsAddress) return this.#judged({ host, port }, addresses);
		const mayBeLocal = this.#rules.allowsLocal?.(host, port) ?? false;
		const usable = addresses.find((address) => {
			const kind = addressKind(address);
			return kind === "public" || (kind === "local" && mayBeLocal);
		});
		return usable ?? { reason: `it is an address of this machine or its network (${addresses[0]})` };
	}

	/** All of them must be allowed. IPv4 first: more machines have it. */
	async #judged(target: Target, addresses: readonly string[]): Promise<string | { reason: string }> {
		for (const address of addresses)
			if ((await this.#rules.allowsAddress?.({ ...target, address })) !== true)
				return { reason: `it is an address of this machine or its network (${address})` };
		return (
			addresses.find((address) => net().isIP(address) === 4) ??
			addresses[0] ?? { reason: "it has no address" }
		);
	}

	async #allowed(host: string, port: number): Promise<boolean> {
		const key = keyOf({ host, port });
		const pending = this.#pending.get(key);
		if (pending) return pending;
		const isNamed = this.#rules.allowsLocal?.(host, port) === true;
		if (!isNamed && (this.#declined.get(key) ?? -Infinity) > performance.now() - limits.declinedMs)
			return false;
		const answer = Promise.resolve()
			.then(() => this.#rules.allow(host, port))
			.catch(() => false)
			.finally(() => this.#pending.delete(key));
		void answer.then((isAllowed) => this.#remember(key, isAllowed));
		this.#pending.set(key, answer);
		return answer;
	}

	/** A program that tries again and again must not wear the user down. */
	#remember(key: string, isAllowed: boolean): void {
		this.#declined.delete(key);
		if (isAllowed) return;
		this.#declined.set(key, performance.now());
		const [oldest] = this.#declined.keys();
		if (this.#declined.size > limits.refusedHosts && oldest !== undefined) this.#declined.delete(oldest);
	}

	#own(socket: Socket): void {
		this.#sockets.add(socket);
		socket.on("close", () => this.#sockets.delete(socket));
		// The other end sees the closed connection.
		socket.on("error", () => socket.destroy());
	}
}

function keyOf({ host, port }: Target): string {
	return `${host.toLowerCase()}:${port}`;
}

const established = "HTTP/1.1 200 Connection Established\r\n\r\n";

/** The codes of SOCKS: 0 for success, 2 for a connection that is not allowed, 5 for one that could not be made. */
function socksReply(code: number): Buffer {
	return Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
}

function refusal(request: Request, who: string, reason: string): string | Buffer {
	if (request.type === "tunnel" && request.protocol === "socks") return socksReply(2);
	const text = `${who} the connection to ${request.host}:${request.port}: ${reason}.\n`;
	return response("403 Forbidden", text);
}

function failure(request: Request, message: string): string | Buffer {
	if (request.type === "tunnel" && request.protocol === "socks") return socksReply(5);
	return response("502 Bad Gateway", `${request.host}:${request.port}: ${message}\n`);
}

function response(status: string, text: string): string {
	const headers = `Content-Type: text/plain\r\nX-Tau-Sandbox: refused\r\nContent-Length: ${Buffer.byteLength(text)}`;
	return `HTTP/1.1 ${status}\r\n${headers}\r\nConnection: close\r\n\r\n${text}`;
}

async function resolve(host: string): Promise<string[]> {
	if (net().isIP(host) !== 0) return [host];
	using deadline = withTimeout(undefined, limits.proxyConnectMs, "The name could not be resolved in time.");
	try {
		const found = await abortable(
			process.getBuiltinModule("node:dns/promises").lookup(host, { all: true }),
			deadline.signal,
		);
		return found.map(({ address }) => address);
	} catch {
		return [];
	}
}

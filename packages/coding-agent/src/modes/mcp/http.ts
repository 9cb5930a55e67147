/** Serves MCP clients over HTTP on this machine: every request needs the token of the server. */
import { timingSafeEqual } from "node:crypto";

import {
	createMcpHandler,
	hostHeaderValidationResponse,
	isLegacyRequest,
	localhostAllowedHostnames,
	localhostAllowedOrigins,
	originValidationResponse,
	WebStandardStreamableHTTPServerTransport,
	type McpServer,
} from "@modelcontextprotocol/server";
import { log } from "@tau/utils";

import { limits } from "./limits.ts";
import type { Workspace } from "./workspace.ts";

export interface HttpOptions {
	/** 0 for any free one. */
	port: number;
	token: string;
}

export interface HttpServer extends AsyncDisposable {
	readonly port: number;
}

/** Rejects when the port is in use. */
export function serveHttp(workspace: Workspace, { port, token }: HttpOptions): HttpServer {
	const modern = createMcpHandler(workspace.serve, {
		legacy: "reject",
		maxRequestBodySize: limits.messageBytes,
		onerror: (error) => log.warn("a request of an MCP client was rejected", { reason: error.message }),
	});
	const sessions = new Sessions(workspace);
	const changed = workspace.onToolsChanged(() => modern.notify.toolsChanged());
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port,
		async fetch(request, listener) {
			const rejected =
				hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
				originValidationResponse(request, localhostAllowedOrigins()) ??
				rejection(request, token);
			if (rejected) return rejected;
			// A call may take long, and a stream may be silent for long.
			listener.timeout(request, 0);
			const isLegacy = await isLegacyRequest(request, undefined, { maxRequestBodySize: limits.messageBytes });
			return await (isLegacy ? sessions.handle(request) : modern.fetch(request));
		},
		error(error) {
			log.error("a request of an MCP client failed", { reason: error.message });
			return new Response("internal error\n", { status: 500 });
		},
	});
	return {
		port: server.port ?? port,
		async [Symbol.asyncDispose]() {
			changed[Symbol.dispose]();
			await Promise.allSettled([modern.close(), sessions[Symbol.asyncDispose]()]);
			await server.stop(true);
		},
	};
}

/** The token is in the header or, for clients that take only an address, the last part of the path. */
function rejection(request: Request, token: string): Response | undefined {
	const [, path, inPath, ...more] = new URL(request.url).pathname.split("/");
	if (path !== "mcp" || more.length > 0) return new Response("not found\n", { status: 404 });
	const header = request.headers.get("authorization") ?? "";
	const given = inPath || (/^bearer /i.test(header) ? header.slice("bearer ".length).trim() : "");
	if (isSame(given, token)) return undefined;
	return new Response("the token is missing or wrong\n", {
		status: 401,
		headers: { "www-authenticate": "Bearer" },
	});
}

function isSame(given: string, token: string): boolean {
	const [one, other] = [Buffer.from(given), Buffer.from(token)];
	return one.length === other.length && timingSafeEqual(one, other);
}

interface Session {
	server: McpServer;
	transport: WebStandardStreamableHTTPServerTransport;
	usedAt: number;
}

/** Clients that speak a revision before 2026-07-28: each has a session, so that Tau can send requests to it. */
class Sessions implements AsyncDisposable {
	readonly #workspace: Workspace;
	readonly #open = new Map<string, Session>();
	readonly #sweep: ReturnType<typeof setInterval>;

	constructor(workspace: Workspace) {
		this.#workspace = workspace;
		this.#sweep = setInterval(() => this.#endIdle(), limits.httpSweepMs);
		this.#sweep.unref();
	}

	async handle(request: Request): Promise<Response> {
		const id = request.headers.get("mcp-session-id");
		if (id === null) return await this.#begin(request);
		const session = this.#open.get(id);
		if (!session) return failure(404, -32001, "Session not found");
		session.usedAt = performance.now();
		return await session.transport.handleRequest(request);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		clearInterval(this.#sweep);
		await Promise.allSettled([...this.#open.values()].map(({ server }) => this.#workspace.end(server)));
		this.#open.clear();
	}

	async #begin(request: Request): Promise<Response> {
		if (this.#open.size >= limits.httpSessions) return failure(503, -32000, "Too many sessions are open");
		const transport = new WebStandardStreamableHTTPServerTransport({
			sessionIdGenerator: () => crypto.randomUUID(),
			maxRequestBodySize: limits.messageBytes,
			onsessioninitialized: (id) => void this.#open.set(id, { server, transport, usedAt: performance.now() }),
			onsessionclosed: (id) => this.#end(id),
		});
		const server = await this.#workspace.serve({ era: "legacy", requestInfo: request });
		await server.connect(transport);
		const response = await transport.handleRequest(request);
		// Anything but a valid first request begins nothing.
		if (transport.sessionId === undefined) await this.#workspace.end(server);
		return response;
	}

	#endIdle(): void {
		const now = performance.now();
		for (const [id, { usedAt }] of this.#open) if (now - usedAt >= limits.httpIdleMs) this.#end(id);
	}

	#end(id: string): void {
		const session = this.#open.get(id);
		this.#open.delete(id);
		if (session) void this.#workspace.end(session.server);
	}
}

function failure(status: number, code: number, message: string): Response {
	return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}

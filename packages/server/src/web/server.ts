/** The server of `tau web`: the page, its requests, and a WebSocket for each session that it shows. */
import { errorCode, log, UsageError } from "@tau/utils";
import {
	empty,
	failure,
	Guard,
	json,
	readJson,
	serveFile,
	textIn,
	type Logins,
	type PageFiles,
	type Verdict,
} from "@tau/web/server";

import { limits as localLimits } from "../local/limits.ts";
import { Bridge, type PageSocket } from "./bridge.ts";
import { limits } from "./limits.ts";
import { dispatch, type Route } from "./routes.ts";
import type { WebSessions } from "./sessions.ts";

export interface WebServerOptions {
	/** 0 takes any that is free. */
	port: number;
	/** Whether another port may be taken where this one is in use. */
	isFlexible: boolean;
	/** Addresses of a proxy in front of it, such as `https://laptop.example.ts.net`. */
	origins: readonly string[];
	logins: Logins;
	sessions: WebSessions;
	files: PageFiles;
	routes: readonly Route[];
}

interface SocketData {
	readonly sessionId: string;
	readonly cookie: string | undefined;
	bridge?: Bridge;
}

type Socket = Bun.ServerWebSocket<SocketData>;

const loopback = "127.0.0.1";
const yearSeconds = 365 * 24 * 60 * 60;
/** A token has 43 characters. */
const tokenChars = 100;

export class WebServer implements Disposable {
	readonly #options: WebServerOptions;
	readonly #server: Bun.Server<SocketData>;
	readonly #guard: Guard;
	/** With the cookie that each has come with. */
	readonly #bridges = new Map<Bridge, string | undefined>();
	readonly #routes: readonly Route[];

	/** Throws a `UsageError` if it cannot listen there. */
	constructor(options: WebServerOptions) {
		this.#options = options;
		this.#server = this.#listen(options.port, options.isFlexible);
		this.#guard = new Guard([this.origin, ...options.origins], options.logins);
		this.#routes = options.routes;
	}

	get origin(): string {
		return `http://${loopback}:${this.#server.port}`;
	}

	/** The pages that show a session now. */
	get pages(): number {
		return this.#bridges.size;
	}

	/** An address that lets one browser in, once. The token is in the fragment, which no browser sends. */
	link(): string {
		return `${this.origin}/#token=${this.#options.logins.invite()}`;
	}

	/** Closes all pages: they were let in by what is forgotten. */
	closePages(): void {
		for (const bridge of this.#bridges.keys()) bridge[Symbol.dispose]();
	}

	[Symbol.dispose](): void {
		this.closePages();
		void this.#server.stop(true);
	}

	#listen(port: number, isFlexible: boolean): Bun.Server<SocketData> {
		try {
			return Bun.serve<SocketData>({
				hostname: loopback,
				port,
				development: false,
				// Without this, Bun shares the port with a server that listens there already.
				reusePort: false,
				idleTimeout: limits.requestIdleSeconds,
				maxRequestBodySize: limits.chunkBytes,
				fetch: (request, server) => this.#answer(request, server),
				error: (error) => {
					log.warn("a request of a page failed", { reason: String(error) });
					return failure(500, "It failed. The log of the daemon has the reason.");
				},
				websocket: {
					maxPayloadLength: localLimits.commandBytes,
					backpressureLimit: localLimits.lineBytes,
					idleTimeout: limits.socketIdleSeconds,
					sendPings: true,
					perMessageDeflate: false,
					open: (socket) => this.#opened(socket),
					message: (socket, message) => socket.data.bridge?.take(message),
					drain: (socket) => socket.data.bridge?.drain(),
					close: (socket) => socket.data.bridge?.closed(),
				},
			});
		} catch (error) {
			if (errorCode(error) !== "EADDRINUSE") throw error;
			if (isFlexible) return this.#listen(0, false);
			throw new UsageError(`Port ${port} is in use. Choose another one: tau web --port <port>`);
		}
	}

	async #answer(request: Request, server: Bun.Server<SocketData>): Promise<Response | undefined> {
		const url = new URL(request.url);
		const { pathname } = url;
		if (pathname === "/ws") return this.#upgrade(request, url, server);
		if (pathname === "/api/login")
			return this.#checked(this.#guard.judgeLogin(request), () => this.#login(request));
		if (pathname.startsWith("/api/"))
			return this.#checked(this.#guard.judgeApi(request), () =>
				pathname === "/api/logout" ? this.#logout(request) : dispatch(this.#routes, request, url),
			);
		return this.#checked(this.#guard.judgeFile(request), async () => {
			const file = await serveFile(request, pathname, this.#options.files);
			return file ?? failure(404, "There is no such file.");
		});
	}

	async #checked(verdict: Verdict, answer: () => Promise<Response> | Response): Promise<Response> {
		return verdict.ok ? await answer() : failure(verdict.status, verdict.reason);
	}

	async #login(request: Request): Promise<Response> {
		if (request.method !== "POST") return failure(405, `${request.method} is not possible here.`);
		let token: string;
		try {
			token = textIn(await readJson(request), "token", tokenChars);
		} catch (error) {
			return failure(400, error instanceof Error ? error.message : String(error));
		}
		const credentials = this.#options.logins.redeem(token);
		if (!credentials)
			return failure(401, "The link was used already, or is too old. Run tau web for another one.");
		const { cookie, key } = credentials;
		return json({ key }, 200, { "set-cookie": this.#guard.setCookie(request.headers, cookie, yearSeconds) });
	}

	#logout(request: Request): Response {
		if (request.method !== "POST") return failure(405, `${request.method} is not possible here.`);
		const cookie = this.#guard.cookieOf(request.headers);
		this.#options.logins.forget(cookie);
		// The other tabs of this browser.
		for (const [bridge, its] of this.#bridges) if (its === cookie) bridge[Symbol.dispose]();
		return empty({ "set-cookie": this.#guard.setCookie(request.headers, undefined, 0) });
	}

	#upgrade(request: Request, url: URL, server: Bun.Server<SocketData>): Response | undefined {
		const verdict = this.#guard.judgeSocket(request);
		if (!verdict.ok) return failure(verdict.status, verdict.reason);
		if (this.#bridges.size >= limits.sockets)
			return failure(503, `${limits.sockets} pages are open. Close one.`);
		const sessionId = url.searchParams.get("session") ?? "";
		if (sessionId === "") return failure(400, "The session is missing.");
		const cookie = this.#guard.cookieOf(request.headers);
		return server.upgrade(request, { data: { sessionId, cookie } })
			? undefined
			: failure(426, "Only a WebSocket is answered here.");
	}

	#opened(socket: Socket): void {
		const { sessionId, cookie } = socket.data;
		const { logins, sessions } = this.#options;
		const page: PageSocket = {
			sendText: (text) => socket.sendText(text),
			getBufferedAmount: () => socket.getBufferedAmount(),
			close: (code, reason) => socket.close(code, reason),
		};
		const bridge: Bridge = new Bridge(page, {
			find: () => sessions.address(sessionId),
			isKey: (key) => logins.isKnown(cookie, key),
			onEnd: () => this.#bridges.delete(bridge),
		});
		socket.data.bridge = bridge;
		this.#bridges.set(bridge, cookie);
	}
}

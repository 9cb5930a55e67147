/** Connects to a server with the official client: negotiates the revision, logs in, and answers the server's requests. */
import {
	Client,
	isSpecType,
	SdkHttpError,
	SSEClientTransport,
	StreamableHTTPClientTransport,
	UnauthorizedError,
	type CallToolResult,
	type ClientOptions,
	type JSONRPCMessage,
	type Transport,
} from "@modelcontextprotocol/client";
import { isRecord, listen, oneLine, version } from "@tau/utils";

import { limits } from "./limits.ts";
import type { OAuthLogin } from "./oauth.ts";
import type { ResolvedServer } from "./resolve-config.ts";
import { callServer, type ServerCall } from "./server-call.ts";
import { StdioTransport } from "./stdio-transport.ts";
import type { ServerRequests } from "./server-requests.ts";

export interface ConnectParts {
	server: ResolvedServer;
	startMs: number;
	login: OAuthLogin | undefined;
	requests: ServerRequests;
	signal: AbortSignal;
	onLog(text: string): void;
	onChanged(what: "tools" | "prompts" | "resources"): void;
	onNotification(method: string, params: unknown): void;
	/** The connection ended without being closed. */
	onClose(reason: string | undefined): void;
}

export interface Connected extends AsyncDisposable {
	readonly client: Client;
	/** Runs a request; where the server wants a login first, logs in and runs it again. */
	request<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
	call(call: ServerCall): Promise<CallToolResult>;
}

/** A server may refuse a login again after it was made, or want more rights. */
const mostLogins = 2;

export async function connect(parts: ConnectParts): Promise<Connected> {
	for (let logins = 0; ; logins++) {
		const attempt = new Attempt(parts);
		// The SDK does not end its first request, which finds out the revision, by the signal.
		using _ = listen(parts.signal, "abort", () => void attempt[Symbol.asyncDispose]());
		try {
			return await attempt.connect();
		} catch (error) {
			await attempt[Symbol.asyncDispose]();
			if (!isUnauthorized(error) || !parts.login || logins >= mostLogins) throw error;
			await attempt.logIn(parts.login);
		}
	}
}

type HttpTransport = StreamableHTTPClientTransport | SSEClientTransport;

class Attempt implements Connected {
	readonly #parts: ConnectParts;
	#client: Client | undefined;
	#transport: Transport | undefined;
	#isClosing = false;
	#isConnected = false;

	constructor(parts: ConnectParts) {
		this.#parts = parts;
	}

	get client(): Client {
		if (!this.#client) throw new Error("The server is not connected.");
		return this.#client;
	}

	async connect(): Promise<this> {
		const { server } = this.#parts;
		if (server.transport === "stdio") await this.#connectProgram();
		else await this.#connectHttp(server.transport === "sse");
		this.#isConnected = true;
		return this;
	}

	async request<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
		const { login } = this.#parts;
		for (let logins = 0; ; logins++) {
			try {
				return await work();
			} catch (error) {
				if (!isUnauthorized(error) || !login || logins >= mostLogins) throw error;
				await this.logIn(login, signal);
			}
		}
	}

	async call(call: ServerCall): Promise<CallToolResult> {
		return await this.request(() => callServer(this.client, this.#parts.requests, call), call.signal);
	}

	async logIn(login: OAuthLogin, signal = this.#parts.signal): Promise<void> {
		const transport = this.#transport;
		if (!isHttp(transport)) throw new Error("Only servers with an address have a login.");
		await login.complete((query) => transport.finishAuth(query), signal);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#isClosing = true;
		const transport = this.#transport;
		if (
			this.#isConnected &&
			transport instanceof StreamableHTTPClientTransport &&
			transport.sessionId !== undefined
		)
			await transport.terminateSession().catch(() => {});
		await this.#client?.close().catch(() => {});
		await transport?.close().catch(() => {});
	}

	/** Some older servers end when the first message is not the one that they expect: those get a new process. */
	async #connectProgram(): Promise<void> {
		const first = this.#program();
		try {
			await this.#open(first, "auto");
		} catch (error) {
			if (first.exit === undefined || this.#parts.signal.aborted) throw withExit(error, first);
			const second = this.#program();
			await this.#open(second, "legacy").catch((failure: unknown) => {
				throw withExit(failure, second);
			});
		}
	}

	/**
	 * An address without a type may be that of a server of the older kind. Many definitions say `sse` for a server that has
	 * long spoken streamable HTTP: the older protocol comes second for these, too.
	 */
	async #connectHttp(isSse: boolean): Promise<void> {
		try {
			await this.#open(this.#http(), "auto");
		} catch (error) {
			const isOlder = error instanceof SdkHttpError && [400, 404, 405].includes(error.status ?? 0);
			if (!isOlder && !(isSse && error instanceof SdkHttpError)) throw error;
			await this.#open(this.#sse(), "legacy").catch((second: unknown) => {
				throw isSse ? second : error;
			});
		}
	}

	async #open(transport: Transport, mode: "auto" | "legacy"): Promise<void> {
		const { startMs, signal, requests, onChanged, onNotification, onLog, onClose } = this.#parts;
		await this.#client?.close().catch(() => {});
		this.#transport = transport;
		attend(transport, onLog);
		const changed = (what: "tools" | "prompts" | "resources") => ({
			// The list is read on demand: a server may announce changes endlessly.
			autoRefresh: false,
			onChanged: () => onChanged(what),
		});
		// Silence on a pipe means an older server; an address that does not answer is down.
		const probeMs = transport instanceof StdioTransport ? Math.min(limits.probeMs, startMs) : startMs;
		const options: ClientOptions = {
			capabilities: requests.capabilities,
			versionNegotiation: { mode, probe: { timeoutMs: probeMs } },
			listMaxPages: limits.toolPages,
			listChanged: { tools: changed("tools"), prompts: changed("prompts"), resources: changed("resources") },
		};
		const client = new Client({ name: "tau", title: "Tau", version }, options);
		this.#client = client;
		requests.answer(client);
		client.fallbackNotificationHandler = async ({ method, params }) => onNotification(method, params);
		client.setNotificationHandler("notifications/message", ({ params: { level, data } }) => {
			onLog(`${level}: ${typeof data === "string" ? data : JSON.stringify(data)}`);
		});
		Object.assign(client, {
			onerror: (error: Error) => onLog(error.message),
			onclose: () => {
				if (!this.#isClosing && this.#client === client)
					onClose(transport instanceof StdioTransport ? transport.exit : undefined);
			},
		});
		await client.connect(transport, { timeout: startMs, signal });
	}

	#program(): StdioTransport {
		const { server, onLog } = this.#parts;
		return new StdioTransport({ command: server.command, cwd: server.cwd, env: server.env, onLog });
	}

	#http(): StreamableHTTPClientTransport {
		const { server, login } = this.#parts;
		return new StreamableHTTPClientTransport(new URL(server.url), {
			requestInit: { headers: server.headers },
			fetch: boundedFetch(login),
			...(login ? { authProvider: login } : {}),
			reconnectionOptions: {
				initialReconnectionDelay: limits.restartMs,
				maxReconnectionDelay: limits.restartMostMs,
				reconnectionDelayGrowFactor: 2,
				maxRetries: limits.restarts,
			},
		});
	}

	#sse(): SSEClientTransport {
		const { server, login } = this.#parts;
		return new SSEClientTransport(new URL(server.url), {
			requestInit: { headers: server.headers },
			fetch: boundedFetch(login),
			...(login ? { authProvider: login } : {}),
		});
	}
}

function isHttp(transport: Transport | undefined): transport is HttpTransport {
	return transport instanceof StreamableHTTPClientTransport || transport instanceof SSEClientTransport;
}

/** The negotiation wraps what a request failed with. */
function isUnauthorized(error: unknown): boolean {
	for (let at = error; at instanceof Error; at = at.cause) if (at instanceof UnauthorizedError) return true;
	return false;
}

function withExit(error: unknown, { exit }: StdioTransport): unknown {
	return exit === undefined ? error : new Error(`it ${exit}`, { cause: error });
}

/** What the SDK does not do: skip the tools that are not valid, and end a request whose stream ended without the answer. */
function attend(transport: Transport, onLog: (text: string) => void): void {
	const open = new Set<unknown>();
	let handler: Transport["onmessage"];
	Object.defineProperty(transport, "onmessage", {
		get: () => handler,
		set: (next: Transport["onmessage"]) => {
			handler =
				next &&
				((message, extra) => {
					if (!("method" in message)) open.delete(message.id);
					next(withValidTools(message, onLog), extra);
				});
		},
	});
	const sendOn = transport.send.bind(transport);
	transport.send = async (message, options = {}) => {
		if ("method" in message && message.method === "notifications/cancelled")
			open.delete(message.params?.requestId);
		if (!("method" in message && "id" in message)) return await sendOn(message, options);
		const { id } = message;
		open.add(id);
		const onRequestStreamEnd = (): void => {
			options.onRequestStreamEnd?.();
			if (open.has(id)) handler?.({ jsonrpc: "2.0", id, error: streamEnded });
		};
		try {
			await sendOn(message, { ...options, onRequestStreamEnd });
		} catch (error) {
			open.delete(id);
			throw error;
		}
	};
}

const streamEnded = { code: -32_603, message: "the server ended the connection before it answered" };

/** The SDK refuses a whole list because of one entry; a tool that is not valid costs itself alone. */
function withValidTools<T extends JSONRPCMessage>(message: T, onLog: (text: string) => void): T {
	if (!("result" in message) || !isRecord(message.result) || !Array.isArray(message.result.tools))
		return message;
	const tools: unknown[] = message.result.tools;
	const valid = tools.filter((tool) => isSpecType.Tool(tool));
	if (valid.length === tools.length) return message;
	const names = tools
		.filter((tool) => !isSpecType.Tool(tool))
		.map((tool) => (isRecord(tool) ? String(tool.name) : typeof tool));
	onLog(
		oneLine(`left out, because their definitions are not valid: ${names.join(", ")}`, limits.logLineChars),
	);
	return { ...message, result: { ...message.result, tools: valid } };
}

const newline = 0x0a;

/** Ends a response when one message in it is longer than a message may be. */
function boundedFetch(login: OAuthLogin | undefined): typeof send {
	return async (url, init) => bounded(await sendAgain(login, await send(url, init), url, init));
}

async function send(url: string | URL, init?: RequestInit): Promise<Response> {
	return await fetch(url, init);
}

/** A token that was revoked is renewed once for all processes: the SDK would do it once for each. */
async function sendAgain(
	login: OAuthLogin | undefined,
	response: Response,
	url: string | URL,
	init: RequestInit = {},
): Promise<Response> {
	const headers = new Headers(init.headers);
	const [, refused] = /^Bearer (.+)$/.exec(headers.get("authorization") ?? "") ?? [];
	if (response.status !== 401 || !login || refused === undefined) return response;
	const token = await login.tokenInsteadOf(refused, init.signal ?? undefined);
	if (token === undefined) return response;
	await response.body?.cancel();
	headers.set("authorization", `Bearer ${token}`);
	return await send(url, { ...init, headers });
}

function bounded(response: Response): Response {
	const { body } = response;
	if (!body) return response;
	const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
	return new Response(body.pipeThrough(boundedMessages(isStream)), response);
}

/** A stream of events may be of any length; a JSON document is one message. */
function boundedMessages(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
	let length = 0;
	return new TransformStream({
		transform(chunk, controller) {
			const last = isStream ? chunk.lastIndexOf(newline) : -1;
			length = last < 0 ? length + chunk.length : chunk.length - last - 1;
			if (length > limits.messageBytes || chunk.length > limits.messageBytes)
				controller.error(new Error(`the answer has more than ${limits.messageBytes / 1024 / 1024} MB`));
			else controller.enqueue(chunk);
		},
	});
}

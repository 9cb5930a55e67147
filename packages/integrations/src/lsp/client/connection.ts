/** Requests and notifications between Tau and one language server: with deadlines, and without trust in what it sends. */
import { log, stripControls, withTimeout } from "@tau/utils";
import type {
	CancellationTokenSource,
	DataCallback,
	Message,
	MessageConnection,
	MessageReader,
	MessageWriter,
} from "vscode-jsonrpc";

import type { MessageChannel } from "./channel.ts";

export type LspErrorKind = "timeout" | "aborted" | "gone" | "refused" | "unsupported";

/** Why a request has no answer. */
export class LspError extends Error {
	readonly kind: LspErrorKind;
	/** Of the protocol, if the server refused it. */
	readonly code?: number;
	readonly data?: unknown;

	constructor(kind: LspErrorKind, message: string, more: { code?: number; data?: unknown } = {}) {
		super(message);
		this.kind = kind;
		if (more.code !== undefined) this.code = more.code;
		this.data = more.data;
	}
}

export interface RequestOptions {
	signal: AbortSignal;
	timeoutMs: number;
}

export interface ConnectionHandlers {
	/** Answers a request of the server; undefined where Tau does not offer it. */
	onRequest(method: string, params: unknown): unknown;
	onNotification(method: string, params: unknown): void;
	/** Its output ended or cannot be understood. */
	onClosed(reason: string): void;
}

type CancellationSource = new () => CancellationTokenSource;

export class Connection implements Disposable {
	readonly #name: string;
	readonly #rpc: MessageConnection;
	readonly #cancellation: CancellationSource;
	#closed: string | undefined;
	#pending = 0;
	readonly #gone = Promise.withResolvers<never>();

	private constructor(name: string, rpc: MessageConnection, source: CancellationSource) {
		this.#name = name;
		this.#rpc = rpc;
		this.#cancellation = source;
		this.#gone.promise.catch(() => {});
	}

	static async open(
		name: string,
		channel: MessageChannel,
		handlers: ConnectionHandlers,
	): Promise<Connection> {
		const { createMessageConnection, CancellationTokenSource, Emitter } = await import("vscode-jsonrpc/node");
		const never = new Emitter<never>();
		const shared = { onClose: never.event, onError: never.event, dispose() {} };
		const reader: MessageReader = {
			...shared,
			onPartialMessage: never.event,
			listen(callback: DataCallback) {
				channel.listen({ onMessage: (message) => callback(message as Message), onClosed: close });
				return { dispose() {} };
			},
		};
		const writer: MessageWriter = {
			...shared,
			write: async (message) => {
				if (!connection.isClosed) channel.send(message);
			},
			end() {},
		};
		const rpc = createMessageConnection(reader, writer, quiet);
		const connection = new Connection(name, rpc, CancellationTokenSource);
		const close = (reason: string): void => {
			if (connection.isClosed) return;
			connection.#end(reason);
			handlers.onClosed(reason);
		};
		rpc.onRequest((method, params) => handlers.onRequest(method, params) ?? null);
		rpc.onNotification((method, params) => handlers.onNotification(method, params));
		// Progress is no notification to the library, also where nobody has asked for it by a token.
		rpc.onUnhandledProgress((params) => handlers.onNotification("$/progress", params));
		rpc.onUnhandledNotification(() => {});
		rpc.onError(([error]) =>
			log.debug("a language server sent something odd", { name, reason: error.message }),
		);
		rpc.listen();
		return connection;
	}

	/** Requests that are not answered yet. */
	get pending(): number {
		return this.#pending;
	}

	get isClosed(): boolean {
		return this.#closed !== undefined;
	}

	/** Throws an `LspError` if nothing will be answered any more. */
	requireOpen(): void {
		if (this.#closed !== undefined) throw this.#goneError();
	}

	/** Rejects with an `LspError`, never with anything else. */
	async request<R>(method: string, params: unknown, { signal, timeoutMs }: RequestOptions): Promise<R> {
		this.requireOpen();
		using deadline = withTimeout(signal, timeoutMs, `${this.#name} has not answered`);
		const source = new this.#cancellation();
		const aborted = Promise.withResolvers<never>();
		const onAbort = (): void => {
			// The server is asked to stop working on it.
			source.cancel();
			aborted.reject(this.#stopped(method, signal, timeoutMs));
		};
		if (deadline.signal.aborted) throw this.#stopped(method, signal, timeoutMs);
		deadline.signal.addEventListener("abort", onAbort, { once: true });
		this.#pending++;
		try {
			const answer = this.#rpc.sendRequest<R>(method, params, source.token);
			answer.catch(() => {});
			return await Promise.race([answer, aborted.promise, this.#gone.promise]);
		} catch (error) {
			throw error instanceof LspError ? error : this.#refusal(method, error);
		} finally {
			this.#pending--;
			deadline.signal.removeEventListener("abort", onAbort);
			source.dispose();
		}
	}

	notify(method: string, params: unknown): void {
		if (this.isClosed) return;
		this.#rpc.sendNotification(method, params).catch(() => {
			// It has exited, which pending requests report.
		});
	}

	[Symbol.dispose](): void {
		this.#end("it was stopped");
	}

	#end(reason: string): void {
		if (this.#closed !== undefined) return;
		this.#closed = reason;
		this.#gone.reject(this.#goneError());
		this.#rpc.dispose();
	}

	#goneError(): LspError {
		return new LspError("gone", `${this.#name} stopped: ${this.#closed}.`);
	}

	#stopped(method: string, signal: AbortSignal, timeoutMs: number): LspError {
		if (signal.aborted) return new LspError("aborted", "The request was stopped.");
		const seconds = Math.round(timeoutMs / 100) / 10;
		return new LspError(
			"timeout",
			`${this.#name} has not answered ${method} in ${seconds} s; it may still be indexing.`,
		);
	}

	#refusal(method: string, error: unknown): LspError {
		const { code, data, message } = error as { code?: unknown; data?: unknown; message?: unknown };
		const text = stripControls(typeof message === "string" ? message : String(error)).slice(0, 500);
		if (code === -32601) return new LspError("unsupported", `${this.#name} does not offer ${method}.`);
		return new LspError("refused", `${this.#name} refused ${method}: ${text}`, {
			...(typeof code === "number" ? { code } : {}),
			data,
		});
	}
}

const quiet = { error() {}, warn() {}, info() {}, log() {} };

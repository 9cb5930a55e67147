/** A websocket to a model's server: each text that is sent is answered by messages, read like the body of an answer. */
import { failure } from "../failure.ts";
import { limits } from "../limits.ts";
import type { Failure } from "../types.ts";
import { connectionTo, type Connection } from "./connection.ts";
import { readBody, type HttpRequest, type Take } from "./http.ts";
import { lost } from "./lost.ts";
import { Watchdog } from "./watchdog.ts";

type Opening = Pick<HttpRequest, "url" | "headers" | "signal">;

/** Has one owner, and one request at a time. */
export class WebSocketLine implements Disposable {
	readonly #socket: Bun.WebSocket;
	readonly #way: { url: string; proxy?: string };
	readonly openedAt = Date.now();
	#unread: Uint8Array[] = [];
	#unreadBytes = 0;
	#wake: (() => void) | undefined;
	#isAnswering = false;
	/** Why it was closed. */
	#closed: string | undefined;

	/** Resolves with undefined if the server accepts no websocket: HTTP tells the user more about the reason. */
	static async open({ url, headers, signal }: Opening): Promise<WebSocketLine | undefined> {
		const connection = await connectionTo(url);
		if ("problem" in connection || signal.aborted) return undefined;
		const { proxy, tls } = connection.init;
		const options: Bun.WebSocketOptions = {
			headers: headers.toJSON(),
			...(proxy ? { proxy } : {}),
			...(tls ? { tls } : {}),
		};
		const socket = openSocket(url.replace(/^http/, "ws"), options);
		const { promise, resolve } = Promise.withResolvers<boolean>();
		const stop = (): void => resolve(false);
		const timer = setTimeout(stop, limits.socketOpenMs);
		signal.addEventListener("abort", stop);
		socket.addEventListener("open", () => resolve(true), { once: true });
		socket.addEventListener("close", stop, { once: true });
		// A failed handshake would be an uncaught error without a listener.
		socket.addEventListener("error", stop);
		const isOpen = await promise;
		clearTimeout(timer);
		signal.removeEventListener("abort", stop);
		if (isOpen) return new WebSocketLine(socket, url, connection);
		socket.terminate();
		return undefined;
	}

	private constructor(socket: Bun.WebSocket, url: string, { proxy }: Connection) {
		this.#socket = socket;
		this.#way = { url, ...(proxy === undefined ? {} : { proxy }) };
		socket.addEventListener("message", ({ data }) => this.#receive(data));
		socket.addEventListener("close", ({ code, reason }) => this.#close(reason || `code ${code}`));
	}

	get isOpen(): boolean {
		return this.#closed === undefined && this.#socket.readyState === WebSocket.OPEN;
	}

	/** Whether the server still answers: a sleep of the machine or a router may have cut the way without a word. */
	async responds(waitMs: number = limits.socketProbeMs): Promise<boolean> {
		if (!this.isOpen) return false;
		const { promise, resolve } = Promise.withResolvers<boolean>();
		const timer = setTimeout(() => resolve(false), waitMs);
		const answered = (): void => resolve(true);
		this.#socket.addEventListener("pong", answered);
		this.#socket.ping();
		const result = await promise;
		this.#socket.removeEventListener("pong", answered);
		clearTimeout(timer);
		return result;
	}

	/**
	 * Calls `take` with every message of the answer, as a server-sent event, until it is complete. Resolves like `post`
	 * with the failure that ended it; the websocket is closed then, and after an abort.
	 */
	async ask(
		text: string,
		request: Pick<HttpRequest, "silence" | "signal">,
		take: Take,
	): Promise<Failure | undefined> {
		using watchdog = new Watchdog(request.silence);
		const signal = AbortSignal.any([request.signal, watchdog.signal]);
		const wake = (): void => this.#wake?.();
		signal.addEventListener("abort", wake);
		const takeUntilComplete: Take = (chunk) => {
			const verdict = take(chunk);
			if (verdict === "complete") this.#isAnswering = false;
			return verdict;
		};
		this.#unread = [];
		this.#unreadBytes = 0;
		this.#isAnswering = true;
		try {
			this.#socket.send(text);
			await readBody(this.#answer(signal), signal, watchdog, request.silence, takeUntilComplete);
			return undefined;
		} catch (error) {
			if (request.signal.aborted) return undefined;
			if (this.#unreadBytes > limits.unreadBytes)
				return failure("network", "The server sends too much at once");
			return lost(error, this.#way, watchdog.silentMs);
		} finally {
			signal.removeEventListener("abort", wake);
			// What still comes of this answer would be taken for the next one.
			if (this.#isAnswering) this[Symbol.dispose]();
		}
	}

	[Symbol.dispose](): void {
		this.#close("disposed of");
		this.#socket.terminate();
	}

	async *#answer(signal: AbortSignal): AsyncGenerator<Uint8Array> {
		while (this.#isAnswering) {
			signal.throwIfAborted();
			if (this.#unread.length > 0) {
				// Taken together: each removal from the front of a long list would cost its length.
				const arrived = this.#unread;
				this.#unread = [];
				for (const event of arrived) {
					this.#unreadBytes -= event.length;
					yield event;
				}
			} else if (this.#closed === undefined) {
				await new Promise<void>((resolve) => {
					this.#wake = resolve;
				});
			} else throw Object.assign(new Error(this.#closed), { code: "ConnectionClosed" });
		}
	}

	/** Messages between two answers, such as a notice about limits, belong to none. */
	#receive(data: unknown): void {
		if (!this.#isAnswering) return;
		const text = typeof data === "string" ? data : Buffer.from(data as ArrayBuffer).toString("utf8");
		const event = new TextEncoder().encode(`data: ${text.replaceAll(/\r\n?|\n/g, "\ndata: ")}\n\n`);
		this.#unread.push(event);
		this.#unreadBytes += event.length;
		if (this.#unreadBytes > limits.unreadBytes) this[Symbol.dispose]();
		this.#wake?.();
	}

	#close(reason: string): void {
		this.#closed ??= reason;
		this.#wake?.();
	}
}

/** Bun's own, with options that browsers do not have: the types of pages, which read this file too, know theirs alone. */
function openSocket(url: string, options: Bun.WebSocketOptions): Bun.WebSocket {
	return new WebSocket(url, options as unknown as string[]) as unknown as Bun.WebSocket;
}

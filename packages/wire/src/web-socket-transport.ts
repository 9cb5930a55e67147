/** The lines of a session as text messages of a WebSocket: a page of `tau web`, which its cookie lets in. */
import { abortable, onDispose, withTimeout } from "@tau/utils/portable";

import { protocolVersion, readObject } from "./greeting.ts";
import { connectionLimits as limits } from "./limits.ts";
import { rights } from "./rights.ts";
import {
	GoneError,
	RefusedError,
	type Connection,
	type ConnectionEvents,
	type Transport,
} from "./transport.ts";

const pong = '{"type":"pong"}';

/**
 * `address` says where the session is served, by the id that it had last; a program that has to send headers gives the
 * socket itself. `greeting` is what the server asks for.
 */
export function webSocketTransport(
	address: (sessionId: string | undefined) => string | URL | WebSocket,
	greeting: Readonly<Record<string, string>> = {},
): Transport {
	return {
		async connect({ sessionId, ...join }, { signal, ...events }) {
			using deadline = withTimeout(signal, limits.openMs, "The server does not answer.");
			const at = address(sessionId);
			const opened = at instanceof WebSocket ? at : new WebSocket(at);
			const socket = new SessionSocket(opened, { ...greeting, ...join }, events);
			try {
				await abortable(socket.welcomed, deadline.signal);
				return socket;
			} catch (error) {
				socket[Symbol.dispose]();
				throw error;
			}
		},
	};
}

class SessionSocket implements Connection {
	readonly #socket: WebSocket;
	readonly #events: Omit<ConnectionEvents, "signal">;
	readonly #welcome = Promise.withResolvers<void>();
	readonly #listening = new AbortController();
	#rights: Connection["rights"] = "view";
	#isIn = false;
	#heardAt = performance.now();
	#watching: Disposable | undefined;
	#probing: Disposable | undefined;

	constructor(socket: WebSocket, join: object, events: Omit<ConnectionEvents, "signal">) {
		this.#socket = socket;
		this.#events = events;
		// It may be rejected before anybody waits for it.
		this.#welcome.promise.catch(() => {});
		const { signal } = this.#listening;
		socket.addEventListener("open", () => this.send({ type: "hello", version: protocolVersion, ...join }), {
			signal,
		});
		socket.addEventListener("message", ({ data }) => this.#receive(data), { signal });
		// An error says nothing that the end after it does not say.
		socket.addEventListener("close", ({ reason }) => this.#end(reason || "The connection was closed."), {
			signal,
		});
	}

	get welcomed(): Promise<void> {
		return this.#welcome.promise;
	}

	get rights(): Connection["rights"] {
		return this.#rights;
	}

	send(line: object): void {
		if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(line));
	}

	probe(): void {
		if (!this.#isIn || this.#probing) return;
		this.send({ type: "ping" });
		this.#probing = after(limits.probeMs, () => this.#end("The network does not answer."));
	}

	[Symbol.dispose](): void {
		this.#end(undefined);
	}

	#receive(data: unknown): void {
		if (typeof data !== "string")
			return this.#end("The server sent a binary message instead of a line of text.");
		this.#heardAt = performance.now();
		this.#probing?.[Symbol.dispose]();
		this.#probing = undefined;
		if (!this.#isIn) return this.#readWelcome(readObject(data) ?? {});
		if (data !== pong) this.#events.onLine(data);
	}

	#readWelcome({ type, reason, isGone, data }: Record<string, unknown>): void {
		if (type === "hello_ok") {
			const held = typeof data === "object" && data !== null && "rights" in data ? data.rights : undefined;
			this.#rights = rights.find((each) => each === held) ?? "view";
			this.#isIn = true;
			this.#watch();
			return this.#welcome.resolve();
		}
		const text = typeof reason === "string" ? reason : "What answers there is not Tau.";
		this.#welcome.reject(isGone === true ? new GoneError(text) : new RefusedError(text));
	}

	/** Browsers do not notice that the network is gone: a connection that is silent for long is asked. */
	#watch(): void {
		const silent = performance.now() - this.#heardAt;
		if (silent >= limits.silentMs) this.probe();
		const wait = silent >= limits.silentMs ? limits.silentMs : limits.silentMs - silent;
		this.#watching = after(wait, () => this.#watch());
	}

	#end(reason: string | undefined): void {
		if (this.#listening.signal.aborted) return;
		this.#listening.abort();
		this.#watching?.[Symbol.dispose]();
		this.#probing?.[Symbol.dispose]();
		this.#socket.close();
		this.#welcome.reject(new Error(reason ?? "The connection was closed."));
		if (this.#isIn) this.#events.onEnd(reason);
	}
}

function after(ms: number, run: () => void): Disposable {
	const handle = setTimeout(run, ms);
	return onDispose(() => clearTimeout(handle));
}

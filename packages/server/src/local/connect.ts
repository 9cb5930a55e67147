/** Connects to a Tau of this machine and says what for. */
import { version, withTimeout } from "@tau/utils";
import { protocolVersion, readObject, RefusedError } from "@tau/wire/remote";

import { limits } from "./limits.ts";
import { LineSocket } from "./line-socket.ts";
import type { Hello } from "./protocol.ts";

/** Where a Tau listens, and what it lets in. */
export interface Address {
	readonly socket: string;
	readonly token: string;
}

export interface LocalConnection extends Disposable {
	/** What the other end said when it let us in. */
	readonly data: unknown;
	send(line: object): void | Promise<void>;
	/** The same for what is JSON already. */
	sendLines(lines: readonly string[]): void | Promise<void>;
	/** Nothing more is read until `resume`. */
	pause(): void;
	resume(): void;
}

export interface ConnectOptions {
	onLine?: (line: string) => void;
	onEnd?: (reason: string | undefined) => void;
	timeoutMs?: number;
	signal?: AbortSignal | undefined;
}

/** Rejects if nobody listens, it is refused, or no answer comes in time. */
export async function connectTo(
	address: Address,
	hello: Omit<Hello, "type" | "version" | "token">,
	{ onLine = () => {}, onEnd = () => {}, timeoutMs = limits.connectMs, signal }: ConnectOptions = {},
): Promise<LocalConnection> {
	const welcomed = Promise.withResolvers<unknown>();
	// It may be rejected before anybody waits for it.
	welcomed.promise.catch(() => {});
	using deadline = withTimeout(signal, timeoutMs, `No answer within ${timeoutMs / 1000} s.`);
	let isIn = false;
	let lines: LineSocket | undefined;
	const receive = (line: string): void => {
		if (isIn) return onLine(line);
		const answer = readObject(line) ?? {};
		if (answer.type === "hello_ok") {
			isIn = true;
			welcomed.resolve(answer.data);
		} else welcomed.reject(new RefusedError(refusalIn(answer)));
	};
	const ended = (reason: string | undefined): void => {
		if (isIn) onEnd(reason);
		else welcomed.reject(new Error(reason ?? "The connection was closed."));
	};
	deadline.signal.addEventListener("abort", () => welcomed.reject(deadline.signal.reason));
	const connecting = Bun.connect<undefined>({
		unix: address.socket,
		socket: {
			open(socket) {
				lines = new LineSocket(socket, { lineBytes: limits.lineBytes, onLine: receive, onEnd: ended });
				void lines.send({ type: "hello", version: protocolVersion, token: address.token, ...hello });
			},
			data: (_, chunk) => lines?.take(chunk),
			drain: () => lines?.drain(),
			close: (_, error) => lines?.closed(error),
			error: (_, error) => lines?.closed(error),
			connectError: (_, error) => welcomed.reject(error),
		},
	});
	connecting.catch((error: unknown) => welcomed.reject(error));
	try {
		const data = await welcomed.promise;
		return {
			data,
			send: (line) => lines?.send(line),
			sendLines: (sent) => lines?.sendLines(sent),
			pause: () => lines?.pause(),
			resume: () => lines?.resume(),
			[Symbol.dispose]: () => lines?.[Symbol.dispose](),
		};
	} catch (error) {
		lines?.[Symbol.dispose]();
		throw error;
	}
}

/** Asks one thing and hangs up. */
export async function ask(
	address: Address,
	hello: Omit<Hello, "type" | "version" | "token">,
	options: Pick<ConnectOptions, "timeoutMs" | "signal"> = {},
): Promise<unknown> {
	using connection = await connectTo(address, hello, options);
	return connection.data;
}

function refusalIn({ type, reason }: Record<string, unknown>): string {
	return type === "hello_refused" && typeof reason === "string"
		? reason
		: `What listens there is not Tau ${version}.`;
}

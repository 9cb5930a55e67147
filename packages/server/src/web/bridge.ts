/** Carries lines between a page and the process of its session, at the pace of the slower one. */
import { timer, version } from "@tau/utils";
import {
	GoneError,
	protocolVersion,
	readJoin,
	readObject,
	RefusedError,
	type JoinRequest,
} from "@tau/wire/remote";

import { connectTo, type Address, type LocalConnection } from "../local/connect.ts";
import { limits } from "./limits.ts";

/** What this needs of a WebSocket of Bun's. */
export interface PageSocket {
	sendText(text: string): number;
	getBufferedAmount(): number;
	close(code?: number, reason?: string): void;
}

export interface BridgeOptions {
	/** Where the session listens; it is opened if it does not run. Rejects with the reason for the user. */
	find(): Promise<Address>;
	/** Whether the page that was let in has shown this key. */
	isKey(key: string): boolean;
	/** Called once. */
	onEnd(): void;
}

const ping = '{"type":"ping"}';
const pong = '{"type":"pong"}';

/** Codes of a WebSocket that ends: the page tries again after all of them. */
const codes = { ended: 1000, notText: 1003, broken: 1007, policy: 1008, tooBig: 1009 } as const;

export class Bridge implements Disposable {
	readonly #socket: PageSocket;
	readonly #options: BridgeOptions;
	readonly #ended = new AbortController();
	readonly #late: Disposable;
	#connection: LocalConnection | undefined;
	#isGreeted = false;
	#isPaused = false;
	/** What has come while the session was being opened. */
	#waiting: string[] = [];
	#unsent = 0;

	constructor(socket: PageSocket, options: BridgeOptions) {
		this.#socket = socket;
		this.#options = options;
		this.#late = timer(limits.helloMs, () => this.#end(codes.policy, "The page has not said who it is."));
	}

	/** To be called with each message of the page. */
	take(message: string | Uint8Array): void {
		if (this.#ended.signal.aborted) return;
		if (typeof message !== "string") return this.#end(codes.notText, "Lines are text.");
		if (message === ping && this.#isGreeted) return this.#send(pong);
		// One message is one line; several would bypass the count of commands.
		if (/[\n\r]/.test(message)) return this.#end(codes.broken, "A message is more than one line.");
		if (!this.#isGreeted) return this.#greet(message);
		this.#unsent += message.length;
		if (this.#unsent > limits.unsentBytes) return this.#end(codes.tooBig, "The session does not read.");
		if (!this.#connection) return void this.#waiting.push(message);
		void this.#pass(this.#connection, message);
	}

	/** To be called when the page has read. */
	drain(): void {
		if (!this.#isPaused || this.#socket.getBufferedAmount() > limits.unreadBytes) return;
		this.#isPaused = false;
		this.#connection?.resume();
	}

	/** To be called when the page is gone. */
	closed(): void {
		this.#dispose();
	}

	[Symbol.dispose](): void {
		this.#end(codes.ended, "");
	}

	#greet(message: string): void {
		if (message.length > limits.helloBytes) return this.#end(codes.tooBig, "The greeting is too long.");
		this.#isGreeted = true;
		this.#late[Symbol.dispose]();
		const hello = readObject(message) ?? {};
		const join = hello.type === "hello" ? readJoin(hello) : undefined;
		if (typeof hello.key !== "string" || !this.#options.isKey(hello.key))
			return this.#refuse("This browser is not let in. Run tau web, and open its link.");
		if (!join) return this.#refuse("The page has not said who it is.");
		if (hello.version !== protocolVersion)
			return this.#refuse(`This is Tau ${version}. Reload the page, which is of another version.`);
		void this.#open(join);
	}

	async #open(join: JoinRequest): Promise<void> {
		const { signal } = this.#ended;
		try {
			const address = await this.#options.find();
			signal.throwIfAborted();
			const early: string[] = [];
			let isIn = false;
			const connection = await connectTo(
				address,
				{ purpose: "join", ...join },
				{
					signal,
					onLine: (line) => (isIn ? this.#show(line) : void early.push(line)),
					onEnd: (reason) => this.#end(codes.ended, reason ?? ""),
				},
			);
			if (signal.aborted) return connection[Symbol.dispose]();
			this.#connection = connection;
			this.#welcome(connection.data);
			isIn = true;
			for (const line of early) this.#show(line);
			for (const line of this.#waiting.splice(0)) void this.#pass(connection, line);
		} catch (error) {
			if (signal.aborted) return;
			const reason = error instanceof Error ? error.message : String(error);
			// Anything else may be over when the page tries again.
			if (error instanceof RefusedError || error instanceof GoneError)
				return this.#refuse(reason, error instanceof GoneError);
			this.#end(codes.ended, reason);
		}
	}

	#welcome(data: unknown): void {
		this.#send(JSON.stringify({ type: "hello_ok", version: protocolVersion, program: version, data }));
	}

	#refuse(reason: string, isGone = false): void {
		this.#send(JSON.stringify({ type: "hello_refused", reason, isGone }));
		this.#end(codes.policy, "");
	}

	#show(line: string): void {
		this.#send(line);
		if (this.#isPaused || this.#socket.getBufferedAmount() <= limits.unreadBytes) return;
		// The session then notices that this client does not read, and drops it, or sends a snapshot later.
		this.#isPaused = true;
		this.#connection?.pause();
	}

	#send(line: string): void {
		if (!this.#ended.signal.aborted) this.#socket.sendText(line);
	}

	async #pass(connection: LocalConnection, line: string): Promise<void> {
		await connection.sendLines([line]);
		this.#unsent -= line.length;
	}

	#end(code: number, reason: string): void {
		if (this.#ended.signal.aborted) return;
		this.#dispose();
		// The protocol has room for 123 bytes.
		this.#socket.close(code, reason.slice(0, 100).replaceAll(/[^\x20-\x7e]/g, "?"));
	}

	#dispose(): void {
		if (this.#ended.signal.aborted) return;
		this.#ended.abort();
		this.#late[Symbol.dispose]();
		this.#waiting = [];
		this.#connection?.[Symbol.dispose]();
		this.#options.onEnd();
	}
}

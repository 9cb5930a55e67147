/** One end of a connection to RPC mode: sends commands, matches the responses, passes the events on. */
import { LineSplitter, onDispose, timer, uuidv7 } from "@tau/utils";

import type { CommandType, RpcCommandOf } from "./commands.ts";
import { limits } from "./limits.ts";
import type { RpcEvent, RpcResponse, RpcResults, RpcUIAnswer } from "./protocol.ts";

/** The streams of a connection: the two pipes of a program, or any others. */
export interface RpcStreams {
	readonly output: AsyncIterable<Uint8Array>;
	write(line: string): void | Promise<void>;
}

/** A command was rejected, was not answered in time, or can no longer be. */
export class RpcError extends Error {
	readonly command: string;

	constructor(command: string, message: string) {
		super(message);
		this.name = "RpcError";
		this.command = command;
	}
}

export type CommandFields<T extends CommandType> = Omit<RpcCommandOf<T>, "id" | "type">;

/** A prompt that is a command of an extension is answered when that has run, which may take as long as it likes. */
export function isOpenEnded(fields: object): boolean {
	return "message" in fields && typeof fields.message === "string" && fields.message.startsWith("/");
}

interface Pending {
	command: string;
	settle: PromiseWithResolvers<unknown>;
}

export class RpcConnection {
	readonly #streams: RpcStreams;
	readonly #onEvent: (event: RpcEvent) => void;
	readonly #pending = new Map<string, Pending>();
	#closed: string | undefined;
	/** Open questions to the user: commands may wait behind them for as long as the user takes. */
	readonly #questions = new Set<string>();
	#lastAnswer = 0;
	/** Resolves when nothing more comes, with the reason. */
	readonly ended: Promise<string>;

	/** `whyEnded` is asked when the other end has gone. */
	constructor(streams: RpcStreams, onEvent: (event: RpcEvent) => void, whyEnded: () => Promise<string>) {
		this.#streams = streams;
		this.#onEvent = onEvent;
		this.ended = this.#read().then(async (problem) => this.close(problem ?? (await whyEnded())));
	}

	get isOpen(): boolean {
		return this.#closed === undefined;
	}

	/** Without a timeout it waits as long as the connection is open. */
	async request<T extends CommandType>(
		type: T,
		fields: CommandFields<T>,
		timeoutMs?: number,
	): Promise<RpcResults[T]> {
		if (this.#closed !== undefined) throw new RpcError(type, this.#closed);
		const id = uuidv7();
		const settle = Promise.withResolvers<unknown>();
		this.#pending.set(id, { command: type, settle });
		using _deadline =
			timeoutMs === undefined
				? undefined
				: this.#deadline(timeoutMs, () =>
						settle.reject(new RpcError(type, `${type} was not answered within ${timeoutMs} ms.`)),
					);
		// A connection that ends while the command is being written rejects it before anybody waits for it.
		settle.promise.catch(() => {});
		try {
			await this.#write(type, `${JSON.stringify({ id, type, ...fields })}\n`);
			// The response has the command's own name, which determines the type of its data.
			return (await settle.promise) as RpcResults[T];
		} finally {
			this.#pending.delete(id);
		}
	}

	/** Sends what is not answered. */
	async send(frame: RpcUIAnswer): Promise<void> {
		if (this.#closed !== undefined) throw new RpcError(frame.type, this.#closed);
		await this.#write(frame.type, `${JSON.stringify(frame)}\n`);
	}

	/** Rejects pending requests with the reason. */
	close(reason: string): string {
		this.#closed ??= reason;
		for (const { command, settle } of this.#pending.values()) settle.reject(new RpcError(command, reason));
		return this.#closed;
	}

	/** The time in which a question to the user is open does not count. */
	#deadline(ms: number, onLate: () => void): Disposable {
		let from = performance.now();
		const check = (): void => {
			const now = performance.now();
			if (this.#questions.size > 0) from = now;
			else from = Math.max(from, this.#lastAnswer);
			const left = from + ms - now;
			if (left <= 0) onLate();
			else current = timer(left, check);
		};
		let current = timer(ms, check);
		return onDispose(() => current[Symbol.dispose]());
	}

	async #write(type: string, line: string): Promise<void> {
		try {
			await this.#streams.write(line);
		} catch (error) {
			throw new RpcError(
				type,
				`Cannot send ${type}: ${error instanceof Error ? error.message : String(error)}`,
			);
		}
	}

	/** Gives what went wrong on the way. */
	async #read(): Promise<string | undefined> {
		const splitter = new LineSplitter(limits.frameBytes);
		try {
			for await (const chunk of this.#streams.output) {
				for (const line of splitter.push(chunk)) {
					if (!line) return `A frame is larger than ${limits.frameBytes} bytes.`;
					// Whoever waits for a response continues first, and may listen to the events behind it.
					if (this.#take(new TextDecoder().decode(line))) await new Promise(setImmediate);
				}
			}
			return undefined;
		} catch (error) {
			return `Received an invalid frame: ${error instanceof Error ? error.message : String(error)}`;
		}
	}

	/** Returns whether a caller waits for what this line has settled. */
	#take(line: string): boolean {
		if (line === "") return false;
		const frame = JSON.parse(line) as RpcEvent | RpcResponse;
		if (frame.type !== "response") {
			if (frame.type === "request_opened") this.#questions.add(frame.request.id);
			if (frame.type === "request_closed" && this.#questions.delete(frame.id))
				this.#lastAnswer = performance.now();
			this.#onEvent(frame);
			return false;
		}
		const pending = typeof frame.id === "string" ? this.#pending.get(frame.id) : undefined;
		if (!pending) return false;
		if (frame.success) pending.settle.resolve(frame.data);
		else pending.settle.reject(new RpcError(frame.command, frame.error));
		return true;
	}
}

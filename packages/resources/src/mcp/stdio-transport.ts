/** Talks to a server that is a program: one JSON message per line. The program ends with Tau, whatever happens. */
import type { Readable } from "node:stream";

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { localMachine, type RunningProgram } from "@tau/sys";
import { timer } from "@tau/utils";

import { limits } from "./limits.ts";
import { MessageLines, type MessageLine } from "./message-lines.ts";

export interface StdioOptions {
	command: readonly [program: string, ...args: string[]];
	cwd: string;
	env: Record<string, string>;
	/** A line that the program wrote to standard error, or that is no message. */
	onLog(text: string): void;
}

export class StdioTransport implements Transport {
	onclose?: () => void;
	onerror?: (error: Error) => void;
	onmessage?: (message: JSONRPCMessage) => void;
	/** The SDK recognizes a pipe by this field and `pid`. */
	readonly stderr = null;
	readonly #options: StdioOptions;
	readonly #lines: MessageLines;
	readonly #errors = new TextDecoder();
	/** What wakes a stream again that has to wait. */
	readonly #pauses = new Map<Readable, Disposable>();
	#program: RunningProgram | undefined;
	#exit: string | undefined;
	#garbage = 0;
	#unsolicited = 0;
	#isClosed = false;

	constructor(options: StdioOptions) {
		this.#options = options;
		this.#lines = new MessageLines((line) => this.#take(line));
	}

	get pid(): number | null {
		return this.#program?.pid ?? null;
	}

	/** How the program ended, once it has. */
	get exit(): string | undefined {
		return this.#exit;
	}

	async start(): Promise<void> {
		const { onLog, ...program } = this.#options;
		// Outside of the sandbox of the model's commands: the user has configured the server for what it reaches.
		const running = await localMachine().shell.start(program);
		this.#program = running;
		this.#read(running.output, limits.burstBytes, (chunk) => this.#lines.push(chunk));
		this.#read(running.errors, limits.burstLogBytes, (chunk) =>
			onLog(this.#errors.decode(chunk, { stream: true })),
		);
		void running.exited.then(({ exitCode, killedBy }) => {
			this.#exit ??=
				killedBy === undefined ? `exited with code ${exitCode ?? 0}` : `was ended by ${killedBy}`;
			this.#closed();
		});
		if (this.#isClosed) await running[Symbol.asyncDispose]();
	}

	async send(message: JSONRPCMessage): Promise<void> {
		const input = this.#program?.input;
		if (!input || this.#isClosed) throw new Error(`the server ${this.#exit ?? "is not running"}`);
		const written = Promise.withResolvers<void>();
		input.write(`${JSON.stringify(message)}\n`, (error) =>
			error ? written.reject(error) : written.resolve(),
		);
		await written.promise;
	}

	async close(): Promise<void> {
		this.#closed();
		await this.#program?.[Symbol.asyncDispose]();
	}

	/** A program that writes without an end is read at a bounded rate: it waits, not Tau. */
	#read(stream: Readable, burst: number, onChunk: (chunk: Buffer) => void): void {
		let bytes = 0;
		stream.on("data", (chunk: Buffer) => {
			if (this.#isClosed) return;
			onChunk(chunk);
			bytes += chunk.length;
			if (bytes < burst) return;
			bytes = 0;
			this.#pause(stream);
		});
	}

	#pause(stream: Readable): void {
		if (stream.isPaused() || this.#isClosed) return;
		stream.pause();
		this.#pauses.set(
			stream,
			timer(limits.burstPauseMs, () => void stream.resume()),
		);
	}

	#take(line: MessageLine): void {
		if (this.#isClosed) return;
		if (line.kind === "too-long") return this.#refuse(line.id);
		if (line.kind === "endless") return this.#fail("it writes a line without an end");
		const isAnswer = line.kind === "message" && "id" in line.message;
		if (!isAnswer && ++this.#unsolicited % limits.burstMessages === 0 && this.#program)
			this.#pause(this.#program.output);
		if (line.kind === "message") this.onmessage?.(line.message as JSONRPCMessage);
		else {
			this.#options.onLog(`no message: ${line.text}`);
			if (++this.#garbage > limits.garbageLines)
				this.#fail("it prints other things than messages on standard output");
		}
	}

	/** Only the call that got the answer fails, if it is known which one. */
	#refuse(id: string | number | undefined): void {
		const message = `the answer has more than ${limits.messageBytes / 1024 / 1024} MB`;
		if (id === undefined) this.#fail(message);
		else this.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32_603, message } });
	}

	#fail(reason: string): void {
		this.#exit = `was ended, because ${reason}`;
		this.onerror?.(new Error(reason));
		void this.close();
	}

	#closed(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		for (const pause of this.#pauses.values()) pause[Symbol.dispose]();
		this.onclose?.();
	}
}

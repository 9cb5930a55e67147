/** One shell on another machine that answers requests, one at a time: text in, bytes out, told apart by a secret word. */
import { abortable, withTimeout } from "@tau/utils";

import type { RunningProgram } from "@tau/sys";
import { limits } from "./limits.ts";
import { newWord, WordScanner } from "./word-scanner.ts";

/** Thrown when the connection is gone, whatever the request was. */
export class ConnectionLost extends Error {
	readonly code = "ECONNRESET";
}

export interface ChannelRequest {
	/** One line of POSIX shell. It has to print `$__tau_n`, a status and a line end when it is done. */
	script: string;
	/** What is printed at the end instead of a word of the channel's own. */
	word?: string | undefined;
	/** Bytes that the script reads from its input. */
	input?: readonly Uint8Array[] | undefined;
	/** Receives the output; without it the output is collected. A promise slows the other side down. */
	onData?: ((chunk: Uint8Array) => void | Promise<void>) | undefined;
}

export interface ChannelResponse {
	readonly status: number;
	/** What follows the status on its line. */
	readonly rest: string;
	readonly output: Buffer;
}

interface Pending extends ChannelRequest {
	readonly word: string;
	readonly scanner: WordScanner;
	readonly done: PromiseWithResolvers<ChannelResponse>;
	readonly parts: Buffer[];
	length: number;
}

/** A text as one word of a shell that reads its orders line by line: `$__tau_nl` is set to a line end. */
export function lineQuote(text: string): string {
	return `'${text.replaceAll("'", String.raw`'\''`).replaceAll("\n", `'"$__tau_nl"'`)}'`;
}

/**
 * What ssh runs: any login shell reads it alike, because it has no escapes. The program comes as the first line of the
 * input; `read` takes one byte at a time, so that the rest of the input is there for whatever the program starts.
 */
export function bootstrap(shell: string): string {
	return `exec ${shell} -c 'IFS= read -r __tau_p && eval "$__tau_p"'`;
}

/**
 * The program of a channel, in one line. `setup` prints what the other side has to know. The names are none of the
 * user's, whose commands run in the same shell.
 */
export function channelProgram(setup: string, atEnd: string): string {
	const newline = `__tau_nl=$(printf "\\nx"); __tau_nl=\${__tau_nl%x}`;
	const loop = `while IFS= read -r __tau_n && IFS= read -r __tau_s; do eval "$__tau_s"; done`;
	return `unset __tau_p; ${newline}; ${setup}; ${loop}; ${atEnd}`;
}

export class Channel implements AsyncDisposable {
	/** Resolves when the channel has ended, with what ssh complained about. */
	readonly ended: Promise<string>;
	readonly #program: RunningProgram;
	#pending: Pending | undefined;
	#complaint = "";
	#isGone = false;
	#exitCode: number | undefined;

	constructor(program: RunningProgram) {
		this.#program = program;
		program.errors.on("data", (chunk: Buffer) => {
			if (this.#complaint.length < limits.messageChars) this.#complaint += chunk.toString("utf8");
		});
		this.ended = this.#readAll();
	}

	get isFree(): boolean {
		return !this.#isGone && this.#pending === undefined;
	}

	get isGone(): boolean {
		return this.#isGone;
	}

	/** Sends the program, and resolves with what its setup printed. */
	async begin(program: (word: string) => string, signal: AbortSignal): Promise<ChannelResponse> {
		const pending = this.#expect({ script: "" });
		this.#program.input.write(`${program(pending.word)}\n`);
		return await abortable(pending.done.promise, signal);
	}

	/** Rejects with `ConnectionLost`, or with the error of `onData`. */
	async request(request: ChannelRequest): Promise<ChannelResponse> {
		if (!this.isFree) throw new ConnectionLost("The channel is not free.");
		const pending = this.#expect(request);
		const { input } = this.#program;
		input.write(`${pending.word}\n${request.script}\n`);
		for (const part of request.input ?? []) input.write(part);
		return await pending.done.promise;
	}

	/** The exit code of ssh, which is that of the shell there; undefined while it runs. */
	get exitCode(): number | undefined {
		return this.#exitCode;
	}

	/** Ends it without waiting for the request. */
	async kill(): Promise<void> {
		await this.#program.kill();
	}

	/** Closes its input: the shell there ends when its request has ended. */
	async [Symbol.asyncDispose](): Promise<void> {
		await this.#program[Symbol.asyncDispose]();
	}

	#expect(request: ChannelRequest): Pending {
		const word = request.word ?? newWord();
		const done = Promise.withResolvers<ChannelResponse>();
		const pending = { ...request, word, scanner: new WordScanner(word), done, parts: [], length: 0 };
		pending.done.promise.catch(() => {});
		this.#pending = pending;
		return pending;
	}

	async #readAll(): Promise<string> {
		try {
			for await (const chunk of this.#program.output) await this.#push(chunk as Buffer);
		} catch {
			// The pipe was destroyed with the program, which is reported below.
		}
		this.#isGone = true;
		this.#exitCode = (await this.#program.exited).exitCode;
		const reason = this.#complaint.trim();
		this.#pending?.done.reject(new ConnectionLost(reason || "The connection was lost."));
		this.#pending = undefined;
		return reason;
	}

	async #push(chunk: Buffer): Promise<void> {
		const pending = this.#pending;
		// Nobody waits for what comes between two requests.
		if (!pending) return;
		const { data, end } = pending.scanner.push(chunk);
		await this.#emit(pending, data);
		if (!end) return;
		this.#pending = undefined;
		pending.done.resolve({ ...end, output: Buffer.concat(pending.parts) });
	}

	async #emit(pending: Pending, bytes: Buffer): Promise<void> {
		if (bytes.length === 0) return;
		try {
			if (pending.onData) return await pending.onData(bytes);
			pending.length += bytes.length;
			if (pending.length > limits.responseBytes) throw new Error("The response is too long.");
			pending.parts.push(Buffer.from(bytes));
		} catch (error) {
			// The rest of the output is dropped.
			pending.onData = () => {};
			pending.done.reject(error);
		}
	}
}

/** A wait for a channel, bounded by the usual time of a request. */
export async function inTime<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
	using deadline = withTimeout(signal, limits.requestMs, "The other machine does not respond.");
	return await abortable(work, deadline.signal);
}

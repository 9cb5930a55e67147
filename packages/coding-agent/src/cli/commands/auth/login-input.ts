/** Reads lines from standard input: typed by the user, without echo for secrets, or from a pipe. */
import { onDispose } from "@tau/utils";

import { limits } from "../../limits.ts";

const ctrlC = "\u0003";
const ctrlD = "\u0004";

export class LineInput implements Disposable {
	readonly #stdin: NodeJS.ReadStream;
	readonly #interrupt: () => void;
	readonly #decoder = new TextDecoder();
	readonly #lines: string[] = [];
	#rest = "";
	#ended = false;
	#listening: Disposable | undefined;
	#waiting: ((line: string | undefined) => void) | undefined;

	/** `interrupt` is what Ctrl+C means while the terminal leaves its meaning to us. */
	constructor(interrupt: () => void, stdin: NodeJS.ReadStream = process.stdin) {
		this.#interrupt = interrupt;
		this.#stdin = stdin;
	}

	get isTerminal(): boolean {
		return this.#stdin.isTTY === true;
	}

	/** The next line without its end; undefined if there is none, or the signal aborts. */
	async line(signal: AbortSignal): Promise<string | undefined> {
		if (signal.aborted) return undefined;
		this.#listen();
		const ready = this.#lines.shift();
		if (ready !== undefined) return ready;
		if (this.#ended) return undefined;
		const { promise, resolve } = Promise.withResolvers<string | undefined>();
		this.#waiting = resolve;
		const stop = (): void => resolve(undefined);
		signal.addEventListener("abort", stop, { once: true });
		try {
			return await promise;
		} finally {
			signal.removeEventListener("abort", stop);
			this.#waiting = undefined;
		}
	}

	/** Reads a line without echo. The question is printed once echo is off. */
	async secret(signal: AbortSignal, question: () => void): Promise<string | undefined> {
		if (!this.isTerminal) return this.line(signal);
		this.#stdin.setRawMode(true);
		using _ = onDispose(() => this.#stdin.setRawMode(false));
		question();
		return await this.line(signal);
	}

	[Symbol.dispose](): void {
		this.#listening?.[Symbol.dispose]();
		this.#waiting?.(undefined);
	}

	#listen(): void {
		if (this.#listening || this.#ended) return;
		const stdin = this.#stdin;
		const onData = (chunk: Uint8Array): void => this.#take(this.#decoder.decode(chunk, { stream: true }));
		const onEnd = (): void => this.#end();
		stdin.on("data", onData).on("end", onEnd).on("error", onEnd);
		stdin.resume();
		this.#listening = onDispose(() => {
			stdin.off("data", onData).off("end", onEnd).off("error", onEnd);
			// A stream that could still be read keeps the process alive.
			stdin.pause();
			stdin.unref?.();
		});
	}

	#take(text: string): void {
		for (const unit of text) {
			if (unit === "\r" || unit === "\n") this.#finish();
			else if (unit === ctrlC) this.#interrupt();
			else if (unit === ctrlD) this.#end();
			else if (unit === "\b" || unit === "\u007f") this.#rest = this.#rest.slice(0, -1);
			else if (this.#rest.length < limits.lineChars) this.#rest += unit;
		}
	}

	#finish(): void {
		const line = this.#rest;
		this.#rest = "";
		if (this.#waiting) this.#waiting(line);
		else this.#lines.push(line);
		this.#waiting = undefined;
	}

	/** A last line need not have an end. */
	#end(): void {
		if (this.#ended) return;
		this.#ended = true;
		if (this.#rest !== "") this.#finish();
		this.#waiting?.(undefined);
	}
}

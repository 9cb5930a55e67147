/** Reads the output of a command, and knows when to stop reading that of its background processes. */
import { closeSync, constants, openSync, readSync } from "node:fs";
import type { ReadableStreamDefaultReader } from "node:stream/web";
import { setImmediate } from "node:timers/promises";

import { errorCode } from "@tau/utils";

import { childProcess } from "../node-library.ts";
import { limits } from "../limits.ts";
import { findOwn } from "./find-shell.ts";
import { ownRoom, type ShellRoom } from "./pipe-room.ts";
import { Silence } from "./silence.ts";

const buffer = new Uint8Array(limits.pipeBytes);

export class OutputPipe implements Disposable {
	/** The path at which a running shell opens the writing end. */
	readonly inside: string;
	readonly #path: string;
	readonly #room: ShellRoom;
	readonly #reader: number;
	#stream: ReadableStreamDefaultReader<Uint8Array> | undefined;
	readonly #reading = Promise.withResolvers<void>();
	readonly #silence = new Silence();
	#later: Timer | undefined;
	#writer: number | undefined;
	#listener: ((chunk: Uint8Array) => void) | undefined;
	#done = false;

	/** Rejects when no pipe can be created. */
	static async open(onOutput: (chunk: Uint8Array) => void, room = ownRoom): Promise<OutputPipe> {
		const { path, reader } = await room.takePipe();
		return new OutputPipe(room, path, reader, onOutput);
	}

	private constructor(room: ShellRoom, path: string, reader: number, onOutput: (chunk: Uint8Array) => void) {
		this.#room = room;
		this.#path = path;
		this.inside = room.inside(path);
		this.#reader = reader;
		this.#listener = onOutput;
		// A pipe without a writer looks to its reader as if it had ended. Not O_NONBLOCK: this end may be given to a
		// command, and programs do not expect a write to fail with EAGAIN.
		this.#writer = openSync(path, constants.O_WRONLY);
		// Most commands have ended by then: what they have printed is read at once, without a stream, which takes as
		// long as the command.
		this.#later = setTimeout(() => this.#follow(), limits.outputLookMs);
		// The code that waits for the end gets the failure; until then it must not count as unhandled.
		this.#reading.promise.catch(() => {});
	}

	/** The writing end, for a command that is about to start. */
	get writer(): number {
		if (this.#writer === undefined) throw new Error("The pipe has been closed.");
		return this.#writer;
	}

	/** Rejects when `onOutput` throws; resolves at the end. */
	get reading(): Promise<void> {
		return this.#reading.promise;
	}

	/** Closes our writing end: all writers have opened the pipe or never will. */
	closeWriter(): void {
		if (this.#writer !== undefined) closeSync(this.#writer);
		this.#writer = undefined;
	}

	/** After the command: reads until the pipe ends, but does not wait for a background child that holds it open. */
	async drain(): Promise<void> {
		this.closeWriter();
		if (!this.#stream && this.#readAtOnce()) return;
		this.#follow();
		await this.#silence.orEnd(this.#reading.promise);
	}

	/**
	 * Background processes may continue to write: without a reader, a server would be killed by its next line. A
	 * separate program reads, so that this one may exit. It ends with the last writer, and bears `env` as a mark.
	 */
	letGo(env: () => Record<string, string>): void {
		if (this.#done) return;
		this.#listener = undefined;
		// Opening the reading end waits for a writer: for this moment we are the writer.
		const writer = openSync(this.#path, constants.O_RDWR);
		const reader = openSync(this.#path, constants.O_RDONLY);
		const sink = childProcess().spawn(findOwn("cat") ?? "/bin/cat", [], {
			env: env(),
			stdio: [reader, "ignore", "ignore"],
			detached: true,
		});
		sink.on("exit", () => this.#room.returnPipe(this.#path));
		// Without a reader, a background writer is killed by its next line: better than blocking on a full pipe.
		sink.on("error", () => {});
		sink.unref();
		closeSync(writer);
		closeSync(reader);
	}

	[Symbol.dispose](): void {
		this.#listener = undefined;
		clearTimeout(this.#later);
		this.closeWriter();
		const close = (): void => closeSync(this.#reader);
		if (!this.#done && this.#stream) return void this.#stream.cancel().then(close, close);
		close();
		if (this.#done) this.#room.returnPipe(this.#path);
	}

	/** All that is there. False if more may come: a process holds the pipe open, or there is too much for one turn of the event loop. */
	#readAtOnce(): boolean {
		clearTimeout(this.#later);
		for (let bytes = 0; bytes < limits.outputTurnBytes;) {
			const length = this.#take();
			if (length === undefined) return false;
			if (length === 0) {
				this.#done = true;
				this.#reading.resolve();
				return true;
			}
			// The listener may keep it.
			this.#listener?.(buffer.slice(0, length));
			bytes += length;
		}
		return false;
	}

	/** The number of bytes that were read into the buffer; undefined if there are none yet. */
	#take(): number | undefined {
		try {
			return readSync(this.#reader, buffer);
		} catch (error) {
			if (errorCode(error) === "EAGAIN") return undefined;
			throw error;
		}
	}

	/** From now on output is handled as it comes. */
	#follow(): void {
		if (this.#stream) return;
		const stream: ReadableStreamDefaultReader<Uint8Array> = Bun.file(this.#reader).stream().getReader();
		this.#stream = stream;
		this.#read(stream).then(this.#reading.resolve, this.#reading.reject);
	}

	async #read(stream: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
		for (let bytes = 0; ;) {
			const { done, value } = await stream.read();
			if (done) break;
			this.#silence.reset();
			this.#listener?.(value);
			bytes += value.length;
			if (bytes < limits.outputTurnBytes) continue;
			// A fast writer has always more: keys are handled in between.
			await setImmediate();
			bytes = 0;
		}
		this.#done = true;
	}
}

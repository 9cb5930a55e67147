/** One running interpreter: runs a cell at a time, interrupts it before it kills, and knows what its death would lose. */
import type { Readable } from "node:stream";

import type { Machine, ProgramStart, RunningProgram } from "@tau/sys";
import { listen, shortId, timer } from "@tau/utils";

import { FrameLines, MarkedText, type CallFrame, type DoneFrame, type Frame } from "./frames.ts";
import { limits } from "./limits.ts";

export interface CellEvents {
	onText(text: Uint8Array): void;
	/** In base64. */
	onImage(data: string): void;
	onJson(value: unknown): void;
	/** A cell calls a tool. Never rejects. */
	onCall(call: CallFrame): Promise<{ ok: boolean; text: string }>;
}

export interface CellOptions {
	seconds: number;
	signal: AbortSignal;
}

export interface CellEnd {
	ok: boolean;
	/** The last line of an exception, and the line of the cell that it is about. */
	error?: string;
	line?: number;
	stopped?: "abort" | "timeout";
	/** How the interpreter ended, if it did. */
	died?: string;
}

/** Sees each frame, for debugging. */
export type FrameTrace = (direction: "sent" | "received", frame: object) => void;

interface RunningCell {
	readonly id: number;
	readonly events: CellEvents;
	readonly done: PromiseWithResolvers<DoneFrame | undefined>;
	readonly text: PromiseWithResolvers<void>;
}

export class Interpreter implements AsyncDisposable {
	readonly #program: RunningProgram;
	readonly #trace: FrameTrace | undefined;
	#cell: RunningCell | undefined;
	#cells = 0;
	#exit: string | undefined;
	#asked = 0;
	/** Only the newest question of the editor counts. */
	#completing: { id: number; resolve(names: readonly string[]): void } | undefined;
	#stray = "";
	/** The variables that the cells have defined, and the imports that they made. */
	names: readonly string[] = [];
	readonly imports = new Set<string>();

	private constructor(program: RunningProgram, mark: string, trace: FrameTrace | undefined) {
		this.#program = program;
		this.#trace = trace;
		const onText = (text: Uint8Array): void => this.#take(text);
		const frames = new FrameLines((frame) => this.#handle(frame), onText);
		const marked = new MarkedText(mark, onText, () => this.#cell?.text.resolve());
		read(program.output, (chunk) => frames.push(chunk));
		read(program.errors, (chunk) => marked.push(chunk));
		// A process of the cell may keep the stream open after the interpreter has died.
		program.errors.once("end", () => this.#cell?.text.resolve());
		void program.exited.then(({ exitCode, killedBy }) => {
			this.#exit ??=
				killedBy === undefined ? `exited with code ${exitCode ?? 0}` : `was killed by ${killedBy}`;
			this.#cell?.done.resolve(undefined);
		});
	}

	/** Rejects with a readable reason when the interpreter cannot be started. */
	static async start(
		shell: Machine["shell"],
		start: ProgramStart,
		modules: readonly string[],
		trace?: FrameTrace,
	): Promise<Interpreter> {
		// Its ends differ: text that ends like the start of a mark cannot be taken for one.
		const mark = `\0tau:${shortId()}${shortId()}\x01`;
		const made = new Interpreter(await shell.start(start), mark, trace);
		made.#send({ type: "init", mark, modules });
		return made;
	}

	/** How it ended; undefined while it runs. */
	get exit(): string | undefined {
		return this.#exit;
	}

	/** Whether commands would still be started where this one was. */
	async isCurrent(): Promise<boolean> {
		return (await this.#program.isCurrent?.()) ?? true;
	}

	async run(code: string, events: CellEvents, { seconds, signal }: CellOptions): Promise<CellEnd> {
		const cell: RunningCell = {
			id: ++this.#cells,
			events,
			done: Promise.withResolvers(),
			text: Promise.withResolvers(),
		};
		using owned = new DisposableStack();
		let stopped: CellEnd["stopped"];
		const stop = (why: CellEnd["stopped"]): void => {
			if (stopped) return;
			stopped = why;
			this.#send({ type: "interrupt", id: cell.id });
			owned.use(timer(limits.interruptMs, () => void this.#program.kill()));
		};
		this.#cell = cell;
		if (this.#stray !== "") events.onText(Buffer.from(`[printed since the last cell]\n${this.#stray}\n`));
		this.#stray = "";
		if (this.#exit !== undefined) cell.done.resolve(undefined);
		this.#send({ type: "run", id: cell.id, code });
		owned.use(timer(seconds * 1000, () => stop("timeout")));
		owned.use(listen(signal, "abort", () => stop("abort")));
		if (signal.aborted) stop("abort");
		const done = await cell.done.promise;
		owned.use(timer(limits.textMs, () => cell.text.resolve()));
		await cell.text.promise;
		this.#cell = undefined;
		const why = stopped ? { stopped } : {};
		if (!done) return { ok: false, died: this.#exit ?? "ended", ...why };
		this.names = done.names;
		for (const line of done.imports) if (this.imports.size < limits.imports) this.imports.add(line);
		return {
			ok: done.ok && !stopped,
			...(done.error ? { error: done.error } : {}),
			...(done.line ? { line: done.line } : {}),
			...why,
		};
	}

	/** Names that begin with the text, or members of what stands before its last dot. While a cell runs, there are none. */
	async complete(text: string, signal: AbortSignal): Promise<readonly string[]> {
		if (this.#cell || this.#exit !== undefined) return [];
		const id = ++this.#asked;
		const names = Promise.withResolvers<readonly string[]>();
		this.#completing = { id, resolve: names.resolve };
		using _deadline = timer(limits.completeMs, () => names.resolve([]));
		using _abort = listen(signal, "abort", () => names.resolve([]));
		this.#send({ type: "complete", id, text, most: limits.completions });
		return await names.promise;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#program[Symbol.asyncDispose]();
	}

	#send(frame: object): void {
		this.#trace?.("sent", frame);
		if (this.#exit === undefined) this.#program.input.write(`${JSON.stringify(frame)}\n`);
	}

	#take(text: Uint8Array): void {
		if (this.#cell) this.#cell.events.onText(text);
		else this.#stray = (this.#stray + Buffer.from(text).toString("utf8")).slice(-limits.strayChars);
	}

	#handle(frame: Frame): void {
		this.#trace?.("received", frame);
		const cell = this.#cell;
		if (frame.type === "call") {
			void this.#call(frame, cell);
			return;
		}
		if (frame.type === "names") {
			if (frame.id === this.#completing?.id) this.#completing.resolve(frame.names);
			return;
		}
		if (!cell) return;
		if (frame.type === "image") cell.events.onImage(frame.data);
		else if (frame.type === "json") cell.events.onJson(frame.value);
		else if (frame.id === cell.id) cell.done.resolve(frame);
	}

	async #call(frame: CallFrame, cell: RunningCell | undefined): Promise<void> {
		const outside = { ok: false, text: "Tools can be called only while a cell runs." };
		const { ok, text } = cell ? await cell.events.onCall(frame) : outside;
		this.#send({ type: "result", call: frame.call, ok, text });
	}
}

/** A program that prints without an end is read in turns, so that it cannot hold up everything else. */
function read(stream: Readable, onChunk: (chunk: Buffer) => void): void {
	stream.on("data", (chunk: Buffer) => {
		onChunk(chunk);
		stream.pause();
		setImmediate(() => stream.resume());
	});
	// It is destroyed with the program; what counts is that the program has ended.
	stream.on("error", () => {});
}

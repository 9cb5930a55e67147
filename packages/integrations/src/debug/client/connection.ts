/** Requests, answers and events between Tau and one debug adapter: with deadlines, and without trust in what it sends. */
import type { Readable } from "node:stream";

import type { DebugProtocol } from "@vscode/debugprotocol";
import type { RunningProgram } from "@tau/sys";
import { abortable, isRecord, isTimeout, stripControls, timer, withTimeout } from "@tau/utils";

import { FrameReader, writeFrame } from "../../framing/frames.ts";
import { limits } from "../limits.ts";

/** Why a request has no answer, as a sentence for the model. */
export class DapError extends Error {}

export interface RequestOptions {
	signal: AbortSignal;
	timeoutMs?: number;
}

export interface ConnectionHandlers {
	onEvent(event: string, body: unknown): void;
	/** Answers a request of the adapter. A rejection is reported to it. */
	onRequest(command: string, args: unknown): Promise<unknown>;
	/** Nothing comes after it. */
	onClosed(reason: string): void;
}

interface Pending {
	readonly command: string;
	resolve(body: unknown): void;
	reject(error: DapError): void;
}

export class Connection {
	readonly #name: string;
	readonly #program: RunningProgram;
	readonly #handlers: ConnectionHandlers;
	readonly #pending = new Map<number, Pending>();
	#sent = 0;
	#closed: string | undefined;

	constructor(name: string, program: RunningProgram, handlers: ConnectionHandlers) {
		this.#name = name;
		this.#program = program;
		this.#handlers = handlers;
		new FrameReader({
			onMessage: (message) => this.#onMessage(message),
			onProblem: (reason) => this.close(reason),
		}).follow(program.output);
		void this.#watchExit();
	}

	get closedBy(): string | undefined {
		return this.#closed;
	}

	/** Rejects with a `DapError`, or with the signal's reason when it aborts. */
	async request<R>(command: string, args: unknown, options: RequestOptions): Promise<R> {
		if (this.#closed !== undefined) throw new DapError(`${this.#name} has ended: ${this.#closed}.`);
		if (this.#pending.size >= limits.pendingRequests)
			throw new DapError(`${this.#name} does not answer: ${this.#pending.size} requests are waiting.`);
		const timeoutMs = options.timeoutMs ?? limits.requestMs;
		using deadline = withTimeout(options.signal, timeoutMs, "no answer");
		const answer = Promise.withResolvers<unknown>();
		answer.promise.catch(() => {});
		const seq = ++this.#sent;
		this.#pending.set(seq, { command, ...answer });
		writeFrame(this.#program.input, { seq, type: "request", command, arguments: args });
		try {
			// The adapter's answer is not validated as a whole: readers treat every field as possibly absent or invalid.
			return (await abortable(answer.promise, deadline.signal)) as R;
		} catch (error) {
			if (isTimeout(error) && !options.signal.aborted)
				throw new DapError(`${this.#name} has not answered ${command} within ${timeoutMs / 1000} s.`);
			throw error;
		} finally {
			this.#pending.delete(seq);
		}
	}

	close(reason: string): void {
		if (this.#closed !== undefined) return;
		this.#closed = reason;
		for (const { command, reject } of this.#pending.values())
			reject(new DapError(`${this.#name} has ended before it answered ${command}: ${reason}.`));
		this.#pending.clear();
		this.#handlers.onClosed(reason);
	}

	/** What it wrote has arrived, or takes longer than this. */
	async drained(ms: number = limits.drainMs): Promise<void> {
		const { output, errors } = this.#program;
		const late = Promise.withResolvers<void>();
		using _grace = timer(ms, late.resolve);
		await Promise.race([Promise.all([ended(output), ended(errors)]), late.promise]);
	}

	/** What it wrote last may arrive after its exit: an event, or why it gave up. */
	async #watchExit(): Promise<void> {
		const { exitCode, killedBy } = await this.#program.exited;
		await this.drained();
		this.close(
			killedBy === undefined ? `it exited with code ${exitCode ?? "?"}` : `it was ended by ${killedBy}`,
		);
	}

	#onMessage(message: unknown): void {
		if (this.#closed !== undefined || !isRecord(message)) return;
		if (message.type === "response") this.#onResponse(message);
		else if (message.type === "event" && typeof message.event === "string")
			this.#handlers.onEvent(message.event, message.body);
		else if (message.type === "request" && typeof message.command === "string")
			void this.#answer(message.command, message.seq, message.arguments);
	}

	#onResponse(message: Record<string, unknown>): void {
		const pending = this.#pending.get(Number(message.request_seq));
		if (!pending) return;
		if (message.success === true) return pending.resolve(message.body ?? {});
		pending.reject(new DapError(`${this.#name} refused ${pending.command}: ${reasonIn(message)}`));
	}

	async #answer(command: string, requestSeq: unknown, args: unknown): Promise<void> {
		const response = await this.#handlers.onRequest(command, args).then(
			(body) => ({ success: true, body }),
			(error: unknown) => ({
				success: false,
				message: error instanceof Error ? error.message : String(error),
			}),
		);
		if (this.#closed !== undefined) return;
		writeFrame(this.#program.input, {
			seq: ++this.#sent,
			type: "response",
			request_seq: requestSeq,
			command,
			...response,
		});
	}
}

/** What Tau says of itself in its first request. */
export function clientFacts(type: string): DebugProtocol.InitializeRequestArguments {
	return {
		clientID: "tau",
		clientName: "Tau",
		adapterID: type,
		pathFormat: "path",
		linesStartAt1: true,
		columnsStartAt1: true,
		supportsVariableType: true,
		supportsRunInTerminalRequest: true,
		supportsStartDebuggingRequest: true,
		supportsMemoryReferences: true,
		locale: "en-us",
	};
}

async function ended(stream: Readable): Promise<void> {
	if (stream.readableEnded || stream.destroyed) return;
	const done = Promise.withResolvers<void>();
	for (const event of ["end", "close"]) stream.once(event, done.resolve);
	await done.promise;
}

/** A list in an answer, which may be anything. */
export function records<T extends object>(list: readonly T[] | undefined): T[] {
	return Array.isArray(list) ? list.filter((one: T) => isRecord(one)) : [];
}

/** The adapter's own words: `body.error.format` with its variables, or the short message. */
function reasonIn(message: Record<string, unknown>): string {
	const body = isRecord(message.body) ? message.body : {};
	const error = isRecord(body.error) ? body.error : {};
	const variables = isRecord(error.variables) ? error.variables : {};
	const format = typeof error.format === "string" ? error.format : undefined;
	const text = format?.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(variables[name] ?? whole));
	const short = typeof message.message === "string" ? message.message : "it gave no reason";
	return stripControls(text ?? short)
		.trim()
		.slice(0, limits.valueChars);
}

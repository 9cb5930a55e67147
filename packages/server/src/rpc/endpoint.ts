/** One client of RPC mode: starts Tau or takes streams to one, sends prompts, and knows when they are answered. */
import type { ImageContent } from "@tau/ai";
import { log, timer } from "@tau/utils";

import { RpcChild, type RpcClientOptions } from "./child.ts";
import type { CommandType } from "./commands.ts";
import { isOpenEnded, RpcConnection, RpcError, type CommandFields } from "./connection.ts";
import { limits } from "./limits.ts";
import type { RpcEvent, RpcResults } from "./protocol.ts";

/** After these a run may have come to its end. */
const endings: ReadonlySet<RpcEvent["type"]> = new Set(["agent_end", "auto_retry_end", "compaction_end"]);

export type RpcEventListener = (event: RpcEvent) => void;

export class RpcEndpoint implements AsyncDisposable {
	readonly #options: RpcClientOptions;
	readonly #listeners = new Set<RpcEventListener>();
	readonly #idle = new Set<PromiseWithResolvers<void>>();
	#child: RpcChild | undefined;
	#connection: RpcConnection | undefined;
	/** A prompt was sent and its end has not been seen. */
	#isBusy = false;
	#prompts = 0;

	constructor(options: RpcClientOptions = {}) {
		this.#options = options;
	}

	/** Rejects when the program cannot be started. */
	async start(): Promise<void> {
		if (this.#connection) throw new RpcError("start", "The client is already started.");
		const { streams, provider, model, askTrust, args = [], ...options } = this.#options;
		const named = Object.entries({ provider, model }).flatMap(([name, value]) =>
			value === undefined ? [] : [`--${name}`, value],
		);
		this.#child = streams
			? undefined
			: new RpcChild({ ...options, args: [...named, ...(askTrust ? ["--ask-trust"] : []), ...args] });
		const child = this.#child;
		const whyEnded = async (): Promise<string> => child?.ending() ?? "The connection has ended.";
		const connection = new RpcConnection(
			streams ?? (child as RpcChild),
			(event) => this.#onEvent(event),
			whyEnded,
		);
		this.#connection = connection;
		void connection.ended.then((reason) => this.#giveUp(reason));
	}

	/** Ends the program with its children; given streams are not closed. */
	async stop(): Promise<void> {
		this.#connection?.close("The client was stopped.");
		await this.#child?.[Symbol.asyncDispose]();
		this.#giveUp("The client was stopped.");
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.stop();
	}

	/** Gives the way to stop listening. */
	onEvent(listener: RpcEventListener): () => void {
		this.#listeners.add(listener);
		return () => void this.#listeners.delete(listener);
	}

	/** Returns the end of the program's standard error. */
	getStderr(): string {
		return this.#child?.stderr ?? "";
	}

	/** Resolves when the prompt is accepted, or its command has run; `waitForIdle` resolves when it is answered. */
	async prompt(
		message: string,
		images?: ImageContent[],
		streamingBehavior?: "steer" | "followUp",
	): Promise<RpcResults["prompt"]> {
		const before = this.#isBusy;
		// The events may be here before the caller gets to know that the prompt was accepted.
		this.#isBusy = true;
		this.#prompts++;
		try {
			const outcome = await this.send("prompt", { message, images, streamingBehavior });
			if (outcome.disposition === "handled") await this.#checkIdle();
			return outcome;
		} catch (error) {
			this.#isBusy = before;
			throw error;
		}
	}

	/** Answers a dialog that an extension has opened (`extension_ui_request`). */
	async answerUI(
		id: string,
		answer: { value: string } | { confirmed: boolean } | { cancelled: true },
	): Promise<void> {
		if (!this.#connection) throw new RpcError("answerUI", "The client has not been started.");
		await this.#connection.send({ type: "extension_ui_response", id, ...answer });
	}

	/** Resolves at once when no prompt of this client is being answered. */
	async waitForIdle(timeoutMs: number = limits.idleMs): Promise<void> {
		if (this.#isBusy) await this.#nextIdle(timeoutMs);
	}

	/** The events from now on until the answer to a current or future prompt ends. */
	async collectEvents(timeoutMs: number = limits.idleMs): Promise<RpcEvent[]> {
		return await this.#during(() => this.#nextIdle(timeoutMs));
	}

	async promptAndWait(message: string, images?: ImageContent[], timeoutMs?: number): Promise<RpcEvent[]> {
		return await this.#during(async () => {
			await this.prompt(message, images);
			await this.waitForIdle(timeoutMs);
		});
	}

	async #during(work: () => Promise<void>): Promise<RpcEvent[]> {
		const events: RpcEvent[] = [];
		const stop = this.onEvent((event) => events.push(event));
		try {
			await work();
		} finally {
			stop();
		}
		return events;
	}

	/** Waits for the response; for as long as the client's `requestTimeoutMs`, unless it runs code of others. */
	protected async send<T extends CommandType>(type: T, fields: CommandFields<T>): Promise<RpcResults[T]> {
		const { requestTimeoutMs = limits.requestMs } = this.#options;
		const timeoutMs = isOpenEnded(fields) ? undefined : requestTimeoutMs;
		return this.connected(type).request(type, fields, timeoutMs);
	}

	protected connected(type: CommandType): RpcConnection {
		if (!this.#connection) throw new RpcError(type, "The client has not been started: call start() first.");
		return this.#connection;
	}

	async #nextIdle(timeoutMs: number): Promise<void> {
		if (!this.#connection?.isOpen) throw new RpcError("wait", "The connection has ended.");
		const idle = Promise.withResolvers<void>();
		const late = (): void =>
			idle.reject(new RpcError("wait", `The agent did not finish within ${timeoutMs} ms.`));
		using _deadline = timer(timeoutMs, late);
		this.#idle.add(idle);
		try {
			await idle.promise;
		} finally {
			this.#idle.delete(idle);
		}
	}

	#onEvent(event: RpcEvent): void {
		for (const listener of this.#listeners) call(listener, event);
		if (event.type === "agent_start") this.#isBusy = true;
		if (this.#isBusy && endings.has(event.type)) void this.#checkIdle();
	}

	/** A run that has ended may be tried again, or be followed by another: only the other end knows. */
	async #checkIdle(): Promise<void> {
		const requestedAt = this.#prompts;
		// A connection that ends meanwhile rejects all waiting callers.
		const state = await this.send("get_state", {}).catch(() => undefined);
		// A prompt that was sent meanwhile has its own end.
		if (!state || state.isStreaming || requestedAt !== this.#prompts) return;
		this.#isBusy = false;
		for (const idle of this.#idle) idle.resolve();
	}

	#giveUp(reason: string): void {
		this.#isBusy = false;
		for (const idle of this.#idle) idle.reject(new RpcError("wait", reason));
	}
}

/** A listener that fails is reported and does not take the connection with it. */
function call(listener: RpcEventListener, event: RpcEvent): void {
	try {
		listener(event);
	} catch (error) {
		log.error("an RPC listener failed", { event: event.type, reason: String(error) });
	}
}

/** A session elsewhere: a replica that frames keep, and commands that are answered once. Runs in browsers. */
import { abortable, delay, onDispose, throwIfAborted } from "@tau/utils/portable";

import type { SessionClient } from "./client.ts";
import type { CommandFields, CommandName, CommandResult } from "./commands.ts";
import type { ComponentBoard } from "./components.ts";
import type { EventFrame } from "./events.ts";
import { FrameReader, type Frame } from "./frames.ts";
import { readBye, type Left } from "./greeting.ts";
import { connectionLimits as limits } from "./limits.ts";
import { Replica } from "./replica.ts";
import type { RequestKind } from "./requests.ts";
import type { ClientInfo } from "./session-shapes.ts";
import { GoneError, RefusedError, type Connection, type Transport } from "./transport.ts";
import type { SessionView } from "./view.ts";

export type ConnectionState =
	| { readonly kind: "connected" }
	/** It was lost, and is being made again. */
	| { readonly kind: "reconnecting"; readonly reason: string }
	/** It will not come back. */
	| { readonly kind: "ended"; readonly reason: string };

export interface RemoteSessionOptions {
	transport: Transport;
	/** As the others see this client. */
	name: string;
	/** The requests to the user that it can show. */
	kinds: readonly RequestKind[];
	/** How long it tries to come back to a session that does not answer; a page that was asleep tries without end. */
	lostMs?: number;
	/** The longest wait between two attempts, to which waits grow: a relay is shared by many. */
	retryMostMs?: number;
	/** Called with a frame that could not be used: then everything is asked for anew. */
	onBadFrame?(error: unknown): void;
	signal?: AbortSignal | undefined;
}

const left: Left = { type: "bye" };

interface Pending {
	readonly line: object;
	readonly settle: PromiseWithResolvers<unknown>;
}

export class RemoteSession implements SessionClient {
	readonly #options: RemoteSessionOptions;
	/** What the host knows this client by after a reconnect. */
	readonly #id = crypto.randomUUID();
	readonly #replica = new Replica();
	readonly #pending = new Map<string, Pending>();
	readonly #states = new Set<(state: ConnectionState) => void>();
	readonly #closed = new AbortController();
	#me: ClientInfo;
	#reader = new FrameReader();
	#connection: Connection | undefined;
	/** It continues in another process, which has to start first. */
	#comesBack = false;
	/** A frame is missing: what follows is of no use before a snapshot. */
	#isBehind = false;
	/** Lines received after a response: its waiter continues first, and may then read these. */
	#held: string[] | undefined;
	#holding: ReturnType<typeof setTimeout> | undefined;
	#ready = Promise.withResolvers<void>();
	#state: ConnectionState = { kind: "reconnecting", reason: "" };
	/** Ends the wait before the next attempt. */
	#wakeUp: () => void = () => {};
	#isAsleep = false;

	private constructor(options: RemoteSessionOptions) {
		this.#options = options;
		this.#me = { id: this.#id, name: options.name, rights: "view", kinds: [...options.kinds] };
		this.#replica.onResponse(({ id, ok, data, error }) => {
			const pending = this.#pending.get(id);
			if (ok) pending?.settle.resolve(data);
			else pending?.settle.reject(new Error(error ?? "It was refused."));
			if (pending) this.#hold();
		});
		this.#ready.promise.catch(() => {});
	}

	/** Resolves when the session can be drawn. Rejects with the reason if it cannot be joined. */
	static async join(options: RemoteSessionOptions): Promise<RemoteSession> {
		const session = new RemoteSession(options);
		try {
			await session.#connect(options.signal);
			await abortable(session.#ready.promise, options.signal);
			return session;
		} catch (error) {
			session[Symbol.dispose]();
			throw error;
		}
	}

	/** With the rights that the host has given it. */
	get me(): ClientInfo {
		return this.#me;
	}

	get view(): SessionView {
		return this.#replica;
	}

	get state(): ConnectionState {
		return this.#state;
	}

	/** What extensions draw for this client, once it has said that it can show it. */
	get components(): ComponentBoard {
		return this.#replica.components;
	}

	/** Called when the connection was lost, and when it is back. */
	onConnected(listener: (isConnected: boolean) => void): Disposable {
		return this.onState(({ kind }) => listener(kind === "connected"));
	}

	subscribe(listener: (event: EventFrame) => void): Disposable {
		return this.#replica.subscribe(listener);
	}

	onReset(listener: () => void): Disposable {
		return this.#replica.onReset(listener);
	}

	onFacts(listener: () => void): Disposable {
		return this.#replica.onFacts(listener);
	}

	onState(listener: (state: ConnectionState) => void): Disposable {
		this.#states.add(listener);
		return onDispose(() => this.#states.delete(listener));
	}

	async request<T extends CommandName>(
		type: T,
		fields: CommandFields<T>,
		signal?: AbortSignal,
	): Promise<CommandResult<T>> {
		throwIfAborted(signal);
		if (this.#state.kind === "ended") throw new Error(this.#state.reason);
		const id = crypto.randomUUID();
		const settle = Promise.withResolvers<unknown>();
		// The connection may end before anybody waits for it.
		settle.promise.catch(() => {});
		const line = { ...(fields as object), id, type };
		this.#pending.set(id, { line, settle });
		try {
			void this.#connection?.send(line);
			// The command's name determines the type of its data.
			return (await abortable(settle.promise, signal)) as CommandResult<T>;
		} finally {
			this.#pending.delete(id);
		}
	}

	/** Comes back at once, or finds out whether the connection still lives: for a page that was asleep. */
	wake(): void {
		this.#isAsleep = false;
		this.#wakeUp();
		this.#connection?.probe?.();
	}

	/** Is not there for the host until it is woken: for a page that the browser keeps, frozen, when its user goes elsewhere. */
	sleep(): void {
		this.#isAsleep = true;
		this.#connection?.[Symbol.dispose]();
	}

	/** Leaves; the session continues. */
	[Symbol.dispose](): void {
		// Otherwise the host would wait for it to come back.
		void this.#connection?.send(left);
		this.#end("You have left the session.");
	}

	async #connect(signal: AbortSignal | undefined): Promise<void> {
		const cursor = this.#isBehind ? undefined : this.#replica.cursor;
		const { name, kinds } = this.#options;
		// It may have moved to another session since this client has joined.
		const sessionId = this.#replica.isReady ? { sessionId: this.#replica.facts.session.id } : {};
		this.#reader = new FrameReader();
		const mine: { connection?: Connection } = {};
		let hasEnded = false;
		const connection = await this.#options.transport.connect(
			{ client: { id: this.#id, name, kinds }, ...(cursor ? { from: cursor } : {}), ...sessionId },
			{
				signal,
				onLine: (line) => this.#receive(line),
				onEnd: (reason, isFinal) => {
					hasEnded = true;
					if (this.#connection && this.#connection === mine.connection) this.#lost(reason, isFinal);
				},
			},
		);
		mine.connection = connection;
		this.#isBehind = false;
		if (this.#isAsleep) connection[Symbol.dispose]();
		if (hasEnded) throw new Error("The connection was closed.");
		if (this.#closed.signal.aborted) return connection[Symbol.dispose]();
		this.#connection = connection;
		this.#me = { ...this.#me, ...connection.me, rights: connection.rights };
		// Whatever was not answered may not have arrived; what has is answered, and not done again.
		for (const { line } of this.#pending.values()) void connection.send(line);
	}

	#receive(line: string): void {
		if (this.#held) this.#held.push(line);
		else this.#take(line);
	}

	/** Promises settle before the next task: until then nothing else is taken. */
	#hold(): void {
		this.#held = [];
		this.#holding = setTimeout(() => this.#release(), 0);
	}

	/** Another response among them holds the rest again. */
	#release(): void {
		clearTimeout(this.#holding);
		const lines = this.#held ?? [];
		this.#held = undefined;
		for (const line of lines) this.#receive(line);
	}

	#take(line: string): void {
		const bye = readBye(line);
		if (bye) return bye.comesBack ? void (this.#comesBack = true) : this.#end("The session has ended.");
		let frame: Frame | undefined;
		try {
			frame = this.#reader.read(line);
			if (!frame) return;
			const isComplete = this.#replica.take(frame);
			if (this.#replica.isReady) this.#ready.resolve();
			// The view is up to date, or another one, before anybody reads that the connection is back.
			if (this.#state.kind === "reconnecting") this.#setState({ kind: "connected" });
			if (isComplete) return;
		} catch (error) {
			this.#options.onBadFrame?.(error);
		}
		this.#restart();
	}

	/** Something is missing: everything is asked for anew. */
	#restart(): void {
		this.#isBehind = true;
		this.#connection?.[Symbol.dispose]();
	}

	#lost(reason: string | undefined, isFinal = false): void {
		// The last of them may say whether the session comes back.
		while (this.#held) this.#release();
		this.#connection = undefined;
		if (this.#closed.signal.aborted) return;
		const why = reason ?? "The connection was closed.";
		if (isFinal) this.#end(why);
		else void this.#reconnect(why);
	}

	async #reconnect(reason: string): Promise<void> {
		this.#setState({ kind: "reconnecting", reason });
		const { signal } = this.#closed;
		const started = performance.now();
		const { lostMs = limits.lostMs } = this.#options;
		const most = this.#comesBack ? Math.max(limits.comesBackMs, lostMs) : lostMs;
		try {
			for (let attempt = 0; performance.now() - started < most; attempt++) {
				await this.#pause(reconnectMs(attempt, this.#options.retryMostMs), signal);
				if (await this.#isSettled(signal)) return;
			}
			this.#end(`The session does not answer: ${reason}`);
		} catch {
			// The user has left meanwhile.
		}
	}

	async #pause(ms: number, signal: AbortSignal): Promise<void> {
		const woken = Promise.withResolvers<void>();
		this.#wakeUp = woken.resolve;
		await Promise.race([delay(ms, signal), woken.promise]);
		if (this.#isAsleep) await abortable(woken.promise, signal);
	}

	/** Whether it is back, or will never be. A session that is gone does not come back unless it has said so. */
	async #isSettled(signal: AbortSignal): Promise<boolean> {
		try {
			await this.#connect(signal);
			this.#comesBack = false;
			return true;
		} catch (error) {
			const isOver = error instanceof RefusedError || (error instanceof GoneError && !this.#comesBack);
			if (isOver) this.#end(error.message);
			return isOver;
		}
	}

	#end(reason: string): void {
		if (this.#closed.signal.aborted) return;
		this.#closed.abort();
		clearTimeout(this.#holding);
		this.#held = undefined;
		const connection = this.#connection;
		this.#connection = undefined;
		connection?.[Symbol.dispose]();
		this.#ready.reject(new Error(reason));
		this.#setState({ kind: "ended", reason });
		for (const { settle } of this.#pending.values()) settle.reject(new Error(reason));
	}

	#setState(state: ConnectionState): void {
		this.#state = state;
		for (const listener of this.#states) listener(state);
	}
}

/** How long a client waits before its next attempt to come back. */
export function reconnectMs(attempt: number, mostMs: number = limits.reconnectMostMs): number {
	const later = attempt - limits.reconnectMs.length;
	if (later < 0) return limits.reconnectMs[attempt] ?? mostMs;
	const most = attempt < limits.hurriedAttempts ? Math.min(limits.hurriedMs, mostMs) : mostMs;
	// Not all of them come back at the same moment.
	return Math.min(limits.reconnectMostMs * 2 ** Math.min(later, 10), most) * (0.75 + Math.random() / 4);
}

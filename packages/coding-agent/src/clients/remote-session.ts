/** A session in another process of this machine: a replica that frames keep, and commands that are answered once. */
import { abortable, delay, log, onDispose, throwIfAborted, uuidv7 } from "@tau/utils";
import {
	FrameReader,
	Replica,
	type ClientInfo,
	type CommandFields,
	type CommandName,
	type CommandResult,
	type ComponentBoard,
	type EventFrame,
	type Frame,
	type RequestKind,
	type SessionClient,
	type SessionView,
} from "@tau/wire";

import { limits } from "../local/limits.ts";
import { readBye } from "../local/protocol.ts";
import { connectTo, RefusedError, type Address, type Connection } from "../local/connect.ts";

export type ConnectionState =
	| { readonly kind: "connected" }
	/** It was lost, and is being made again. */
	| { readonly kind: "reconnecting"; readonly reason: string }
	/** It will not come back. */
	| { readonly kind: "ended"; readonly reason: string };

export interface RemoteSessionOptions {
	/** Where the session listens now, by the id that it had last; undefined when it does not run any more. */
	find(sessionId: string | undefined): Address | undefined;
	/** As the others see this client. */
	name: string;
	/** The requests to the user that it can show. */
	kinds: readonly RequestKind[];
	signal?: AbortSignal | undefined;
}

interface Pending {
	readonly line: object;
	readonly settle: PromiseWithResolvers<unknown>;
}

export class RemoteSession implements SessionClient {
	readonly me: ClientInfo;
	readonly #options: RemoteSessionOptions;
	readonly #replica = new Replica();
	readonly #pending = new Map<string, Pending>();
	readonly #states = new Set<(state: ConnectionState) => void>();
	readonly #closed = new AbortController();
	#reader = new FrameReader();
	#connection: Connection | undefined;
	/** It continues in another process, which has to start first. */
	#comesBack = false;
	/** A frame is missing: what follows is of no use before a snapshot. */
	#isBehind = false;
	#ready = Promise.withResolvers<void>();
	#state: ConnectionState = { kind: "reconnecting", reason: "" };

	private constructor(options: RemoteSessionOptions) {
		this.#options = options;
		this.me = { id: uuidv7(), name: options.name, rights: "control", kinds: [...options.kinds] };
		this.#replica.onResponse(({ id, ok, data, error }) => {
			const pending = this.#pending.get(id);
			if (ok) pending?.settle.resolve(data);
			else pending?.settle.reject(new Error(error ?? "It was refused."));
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
		const id = uuidv7();
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

	/** Leaves; the session continues. */
	[Symbol.dispose](): void {
		this.#end("You have left the session.");
	}

	/** It may have moved to another session since this client has joined. */
	#find(): Address | undefined {
		return this.#options.find(this.#replica.isReady ? this.#replica.facts.session.id : undefined);
	}

	async #connect(signal: AbortSignal | undefined): Promise<void> {
		const address = this.#find();
		if (!address) throw new RefusedError("The session has ended.");
		const cursor = this.#isBehind ? undefined : this.#replica.cursor;
		const { id, name, kinds } = this.me;
		this.#reader = new FrameReader();
		const mine: { connection?: Connection } = {};
		let hasEnded = false;
		const connection: Connection = await connectTo(
			address,
			{ purpose: "join", client: { id, name, kinds }, ...(cursor ? { from: cursor } : {}) },
			{
				signal,
				onLine: (line) => this.#take(line),
				onEnd: (reason) => {
					hasEnded = true;
					if (this.#connection && this.#connection === mine.connection) this.#lost(reason);
				},
			},
		);
		mine.connection = connection;
		this.#isBehind = false;
		if (hasEnded) throw new Error("The connection was closed.");
		if (this.#closed.signal.aborted) return connection[Symbol.dispose]();
		this.#connection = connection;
		// Whatever was not answered may not have arrived; what has is answered, and not done again.
		for (const { line } of this.#pending.values()) void connection.send(line);
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
			log.warn("a frame of a session could not be used", { reason: String(error) });
		}
		this.#restart();
	}

	/** Something is missing: everything is asked for anew. */
	#restart(): void {
		this.#isBehind = true;
		this.#connection?.[Symbol.dispose]();
	}

	#lost(reason: string | undefined): void {
		this.#connection = undefined;
		if (this.#closed.signal.aborted) return;
		void this.#reconnect(reason ?? "The connection was closed.");
	}

	async #reconnect(reason: string): Promise<void> {
		this.#setState({ kind: "reconnecting", reason });
		const { signal } = this.#closed;
		const started = performance.now();
		const most = this.#comesBack ? limits.sessionStartMs : limits.lostMs;
		try {
			for (let attempt = 0; performance.now() - started < most; attempt++) {
				await delay(limits.reconnectMs[attempt] ?? limits.reconnectMostMs, signal);
				// A session that is gone does not come back by itself.
				const isGone = !this.#find();
				if (isGone && !this.#comesBack) return this.#end("The session has ended.");
				if (!isGone && (await this.#isBack(signal))) return;
			}
			this.#end(`The session does not answer: ${reason}`);
		} catch {
			// The user has left meanwhile.
		}
	}

	async #isBack(signal: AbortSignal): Promise<boolean> {
		try {
			await this.#connect(signal);
			this.#comesBack = false;
			return true;
		} catch (error) {
			if (error instanceof RefusedError) this.#end(error.message);
			return error instanceof RefusedError;
		}
	}

	#end(reason: string): void {
		if (this.#closed.signal.aborted) return;
		this.#closed.abort();
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

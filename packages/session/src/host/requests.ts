/** Questions to the user: pending requests that any connected client may list and answer. */
import { listen, Listeners, onDispose, uuidv7 } from "@tau/utils";

import type {
	AnswerOf,
	RequestFields,
	RequestKind,
	RequestOrigin,
	ShownScreen,
	UserAnswer,
	UserRequest,
} from "@tau/wire";
import { limits } from "./limits.ts";
import { TerminalViewers, type ShownTerminal, type TerminalViewer } from "./terminals.ts";

/** Shows terminals as requests, which clients elsewhere draw and type into. */
export interface SharedViewer extends TerminalViewer {
	/** Undefined if its command has ended. */
	find(id: string): Pick<ShownTerminal, "type" | "resize"> | undefined;
	/** A client can show them now. */
	offer(): void;
}

/** A client that can answer: a screen, a connection, a program. */
export interface RequestClient {
	/** The kinds that it can show. */
	readonly kinds: ReadonlySet<RequestKind>;
	/** Absent where there is no screen with a user before it. */
	readonly terminals?: TerminalViewer | undefined;
	/** `closed` is aborted when the request was answered elsewhere, or withdrawn. */
	open(request: UserRequest, closed: AbortSignal): void;
}

export type RequestOutcome = { ok: true } | { ok: false; reason: string };

export interface AskOptions {
	signal?: AbortSignal | undefined;
	timeoutMs?: number | undefined;
	/** Chosen by the caller where it has to be known before the answer. */
	id?: string | undefined;
	/** The source of the request; absent for Tau itself. */
	from?: RequestOrigin | undefined;
}

interface Pending {
	request: UserRequest;
	settle(answer: UserAnswer | undefined, by?: string): void;
	closed: AbortController;
	/** The clients that showed it; when all are gone, there will be no answer. */
	clients: Set<RequestClient>;
}

export type RequestEvent =
	| { type: "request_opened"; request: UserRequest }
	| { type: "request_closed"; id: string; answered: boolean; by?: string }
	| { type: "terminal_screen"; id: string; screen: ShownScreen };

export class UserRequests implements Disposable {
	readonly #pending = new Map<string, Pending>();
	readonly #clients = new Set<RequestClient>();
	readonly #viewers = new TerminalViewers();
	#shared: SharedViewer | undefined;
	readonly #listeners = new Listeners<RequestEvent>();
	readonly #now: () => number;
	/** Since when at least one question is open, and how long some were open before. */
	readonly #asking: { since?: number | undefined; ms: number } = { ms: 0 };

	constructor(now = (): number => performance.now()) {
		this.#now = now;
	}

	/** Milliseconds that stop while the user is asked. A terminal is no question: who has one works in it. */
	clock(): number {
		return (this.#asking.since ?? this.#now()) - this.#asking.ms;
	}

	/** Open requests, oldest first. */
	get pending(): readonly UserRequest[] {
		return [...this.#pending.values()].map(({ request }) => request);
	}

	/** Whether a client is connected that can answer requests of this kind. */
	canAsk(kind: RequestKind): boolean {
		return [...this.#clients].some(({ kinds }) => kinds.has(kind));
	}

	/** The terminals that pages elsewhere show; undefined where none is served. */
	get shared(): SharedViewer | undefined {
		return this.#shared;
	}

	/** One for the life of the session. */
	serve(shared: SharedViewer): void {
		this.#shared = shared;
		this.#viewers.connect(shared);
	}

	/** Shows the terminals of commands to the user; undefined while no client can. */
	get terminals(): TerminalViewer | undefined {
		return this.#viewers.isShown ? this.#viewers : undefined;
	}

	/** What a request of the kind `terminal` shows has changed. */
	setScreen(id: string, screen: ShownScreen): void {
		const pending = this.#pending.get(id);
		if (pending?.request.kind !== "terminal") return;
		pending.request = { ...pending.request, screen };
		this.#listeners.call({ type: "terminal_screen", id, screen });
	}

	/** From now on the client is shown every request of its kinds, those that are open already too. */
	connect(client: RequestClient): Disposable {
		this.#clients.add(client);
		for (const pending of this.#pending.values()) this.#show(pending, client);
		if (client.kinds.has("terminal")) this.#shared?.offer();
		const terminals = client.terminals && this.#viewers.connect(client.terminals);
		return onDispose(() => {
			terminals?.[Symbol.dispose]();
			this.#disconnect(client);
		});
	}

	subscribe(listener: (event: RequestEvent) => void): Disposable {
		return this.#listeners.add(listener);
	}

	/** Undefined if nobody can answer, the user declined, the time is up, or the signal was aborted. */
	async ask<K extends RequestKind>(
		kind: K,
		fields: RequestFields<K>,
		{ signal, timeoutMs, from, id = uuidv7() }: AskOptions = {},
	): Promise<AnswerOf<K> | undefined> {
		if (signal?.aborted || !this.canAsk(kind) || this.#pending.size >= limits.pendingRequests)
			return undefined;
		// The kind decides about the fields, which the compiler cannot follow through the union.
		const request = {
			kind,
			id,
			openedAt: Date.now(),
			...(from ? { from } : {}),
			...(fields as object),
		} as unknown as UserRequest;
		const answered = Promise.withResolvers<{ answer: UserAnswer | undefined; by?: string | undefined }>();
		using owned = new DisposableStack();
		const pending: Pending = {
			request,
			settle: (answer, by) => answered.resolve({ answer, by }),
			closed: new AbortController(),
			clients: new Set(),
		};
		const giveUp = (): void => answered.resolve({ answer: undefined });
		if (signal) owned.use(listen(signal, "abort", giveUp));
		if (timeoutMs !== undefined) {
			const late = setTimeout(giveUp, timeoutMs);
			owned.defer(() => clearTimeout(late));
		}
		this.#pending.set(request.id, pending);
		this.#follow();
		this.#listeners.call({ type: "request_opened", request });
		for (const client of this.#clients) this.#show(pending, client);
		const { answer, by } = await answered.promise;
		this.#close(pending, answer !== undefined, by);
		// Answers are checked against the kind of their request before they get here.
		return answer as AnswerOf<K> | undefined;
	}

	/** `undefined` declines. The caller has checked that the answer fits the kind. `by`: who answers, if not the owner. */
	answer(id: string, answer: UserAnswer | undefined, by?: string): RequestOutcome {
		const pending = this.#pending.get(id);
		if (!pending) return { ok: false, reason: `No request ${id} is open.` };
		pending.settle(answer, by);
		return { ok: true };
	}

	/** Everything that is open is declined. */
	[Symbol.dispose](): void {
		for (const { settle } of this.#pending.values()) settle(undefined);
	}

	#show(pending: Pending, client: RequestClient): void {
		if (!client.kinds.has(pending.request.kind)) return;
		pending.clients.add(client);
		client.open(pending.request, pending.closed.signal);
	}

	/** A client that disconnects declines what only it could have answered. */
	#disconnect(client: RequestClient): void {
		this.#clients.delete(client);
		for (const pending of this.#pending.values()) {
			if (pending.clients.delete(client) && pending.clients.size === 0) pending.settle(undefined);
		}
	}

	#follow(): void {
		const { since } = this.#asking;
		if (this.#pending.values().some(({ request }) => request.kind !== "terminal"))
			this.#asking.since ??= this.#now();
		else if (since !== undefined) {
			this.#asking.ms += this.#now() - since;
			this.#asking.since = undefined;
		}
	}

	#close(pending: Pending, answered: boolean, by: string | undefined): void {
		this.#pending.delete(pending.request.id);
		this.#follow();
		pending.closed.abort();
		this.#listeners.call({
			type: "request_closed",
			id: pending.request.id,
			answered,
			...(by === undefined ? {} : { by }),
		});
	}
}

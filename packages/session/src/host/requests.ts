/** Questions to the user: pending requests that any connected client may list and answer. */
import type { TerminalScreen, TerminalSize } from "@tau/sys";
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

/** A terminal of a command that the user sees and types into. */
export interface ShownTerminal {
	readonly command: string;
	readonly screen: TerminalScreen;
	/** Sends the bytes of keys to the program. */
	type(bytes: string): void;
	resize(size: TerminalSize): void;
	/** The user has opened it: it takes the keys at once, and is gone when the user leaves it. */
	readonly isOpenedByUser?: boolean;
}

export interface TerminalViewer {
	/** The size that a terminal would have now. */
	size(): TerminalSize;
	/** Shows it until the result is disposed of. */
	show(terminal: ShownTerminal): Disposable;
}

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
	readonly #listeners = new Listeners<RequestEvent>();

	/** Open requests, oldest first. */
	get pending(): readonly UserRequest[] {
		return [...this.#pending.values()].map(({ request }) => request);
	}

	/** Whether a client is connected that can answer requests of this kind. */
	canAsk(kind: RequestKind): boolean {
		return [...this.#clients].some(({ kinds }) => kinds.has(kind));
	}

	/** The terminals that clients elsewhere show; undefined where none is served. */
	shared: SharedViewer | undefined;

	/** Shows the terminals of commands to the user; undefined while no client can. The screen of this process is first. */
	get terminals(): TerminalViewer | undefined {
		const own = [...this.#clients].findLast(({ terminals }) => terminals)?.terminals;
		return own ?? (this.canAsk("terminal") ? this.shared : undefined);
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
		if (client.kinds.has("terminal")) this.shared?.offer();
		return onDispose(() => this.#disconnect(client));
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

	#close(pending: Pending, answered: boolean, by: string | undefined): void {
		this.#pending.delete(pending.request.id);
		pending.closed.abort();
		this.#listeners.call({
			type: "request_closed",
			id: pending.request.id,
			answered,
			...(by === undefined ? {} : { by }),
		});
	}
}

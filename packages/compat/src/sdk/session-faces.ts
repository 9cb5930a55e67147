/** The `agent` of a session as pi shows it: the same conversation, seen from the loop. */
import type { AgentSession, SessionEvent } from "@tau/session";

export type SessionListener = (event: SessionEvent) => void | Promise<void>;

interface Owner {
	subscribe(listener: SessionListener): () => void;
	abort(): Promise<void>;
	waitForIdle(): Promise<void>;
}

export class AgentFace {
	readonly #session: () => AgentSession;
	readonly #owner: Owner;

	constructor(session: () => AgentSession, owner: Owner) {
		this.#session = session;
		this.#owner = owner;
	}

	get state(): AgentSession["state"] {
		return this.#session().state;
	}

	get signal(): AbortSignal | undefined {
		return this.#session().signal;
	}

	subscribe(listener: SessionListener): () => void {
		return this.#owner.subscribe(listener);
	}

	abort(): void {
		void this.#owner.abort();
	}

	waitForIdle(): Promise<void> {
		return this.#owner.waitForIdle();
	}
}

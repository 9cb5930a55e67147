/** What an agent in a page keeps in IndexedDB: the keys of providers, and conversations. Both are encrypted at rest. */
import type { AgentMessage } from "@tau/agent";

import { SealedStore } from "../store/sealed-store.ts";

/** The bounds of the stores, each with its reason. */
const limits = {
	/** More providers than anybody has. */
	keys: 100,
	keyBytes: 16 * 1024,
	/** Browsers give an origin some gigabytes. */
	conversations: 500,
	/** With pictures; one that is larger is not kept, and `save` says so. */
	conversationBytes: 64 * 1024 * 1024,
} as const;

/** Keys of providers, each given by the user; sealed by a key of the browser that cannot be exported. */
export class KeyStore {
	readonly #store: SealedStore;

	/** Pages of one origin that use the same name share it. */
	constructor(name = "tau-agent-keys") {
		this.#store = new SealedStore({ name, mostRecords: limits.keys, mostBytes: limits.keyBytes });
	}

	/** Rejects if the browser refuses its store. */
	async set(provider: string, key: string): Promise<void> {
		if (!(await this.#store.keep(provider, key))) throw new Error(`The key for ${provider} is too long.`);
	}

	async get(provider: string): Promise<string | undefined> {
		return (await this.#store.kept<string>(provider))?.value;
	}

	async remove(provider: string): Promise<void> {
		await this.#store.drop(provider);
	}

	/** Only for whom there are keys. */
	async providers(): Promise<string[]> {
		return await this.#store.names();
	}

	forgetAll(): void {
		this.#store.forgetAll();
	}
}

/** Conversations by their ids. */
export class ConversationStore {
	readonly #store: SealedStore;

	constructor(name = "tau-agent-conversations") {
		const { conversations: mostRecords, conversationBytes: mostBytes } = limits;
		this.#store = new SealedStore({ name, mostRecords, mostBytes });
	}

	/** Rejects if it is too large, or the browser refuses its store. */
	async save(id: string, messages: readonly AgentMessage[]): Promise<void> {
		if (!(await this.#store.keep(id, messages)))
			throw new Error(
				`The conversation is larger than ${limits.conversationBytes >> 20} MB and is not kept.`,
			);
	}

	async load(id: string): Promise<AgentMessage[] | undefined> {
		return (await this.#store.kept<AgentMessage[]>(id))?.value;
	}

	/** The newest first. */
	async ids(): Promise<string[]> {
		return await this.#store.names();
	}

	async remove(id: string): Promise<void> {
		await this.#store.drop(id);
	}

	forgetAll(): void {
		this.#store.forgetAll();
	}
}

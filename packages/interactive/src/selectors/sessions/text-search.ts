/** Searches the text of many sessions, one file at a time, so that key input is never delayed. */
import { setImmediate } from "node:timers/promises";

import { hasText, type SessionInfo } from "@tau/log";

import { wordsOf } from "./session-rows.ts";

export interface TextSearch {
	/** The files that contain all words, so far. */
	readonly matches: ReadonlySet<string>;
	readonly isDone: boolean;
}

export class SessionTextSearch implements Disposable {
	readonly #onFound: () => void;
	#abort = new AbortController();
	#state: { matches: Set<string>; isDone: boolean } | undefined;
	#search = "";

	constructor(onFound: () => void) {
		this.#onFound = onFound;
	}

	/** The matches of this search; another search starts anew. */
	look(search: string, sessions: readonly SessionInfo[]): TextSearch {
		if (this.#state && search === this.#search) return this.#state;
		this.stop();
		this.#search = search;
		const state = { matches: new Set<string>(), isDone: false };
		this.#state = state;
		const terms = wordsOf(search);
		if (terms.length > 0) void this.#run(terms, sessions, state, this.#abort.signal);
		return state;
	}

	stop(): void {
		this.#abort.abort();
		this.#abort = new AbortController();
		this.#state = undefined;
	}

	[Symbol.dispose](): void {
		this.#abort.abort();
	}

	async #run(
		terms: readonly string[],
		sessions: readonly SessionInfo[],
		state: { matches: Set<string>; isDone: boolean },
		signal: AbortSignal,
	): Promise<void> {
		for (const info of sessions) {
			await setImmediate();
			if (signal.aborted) return;
			if (!hasText(info, terms)) continue;
			state.matches.add(info.path);
			this.#onFound();
		}
		state.isDone = true;
		this.#onFound();
	}
}

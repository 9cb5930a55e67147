/** Asks a provider how the text may go on, without ever holding up typing, and drops answers that come too late. */
import { timer } from "@tau/utils";

import type { AutocompleteProvider, AutocompleteSuggestions } from "./autocomplete.ts";
import { limits } from "./limits.ts";

/** What the completer needs to know of the text, as the reader sees it. */
export interface CompletionPlace {
	lines: string[];
	line: number;
	col: number;
}

export interface CompleterHost {
	place(): CompletionPlace;
	/** Suggestions for the text as it is now; nothing when there are none. */
	show(found: AutocompleteSuggestions | undefined, isForced: boolean): void;
}

export class Completer implements Disposable {
	readonly #host: CompleterHost;
	#provider: AutocompleteProvider | undefined;
	#debounce: Disposable | undefined;
	#running: AbortController | undefined;

	constructor(host: CompleterHost) {
		this.#host = host;
	}

	get provider(): AutocompleteProvider | undefined {
		return this.#provider;
	}

	setProvider(provider: AutocompleteProvider | undefined): void {
		this.cancel();
		this.#provider = provider;
	}

	/** Asks after `delayMs`; a later request takes the place of this one. */
	request(isForced: boolean, delayMs: number): void {
		this.cancel();
		const provider = this.#provider;
		if (provider === undefined) return;
		if (delayMs === 0) void this.#run(provider, isForced);
		else this.#debounce = timer(delayMs, () => void this.#run(provider, isForced));
	}

	cancel(): void {
		this.#debounce?.[Symbol.dispose]();
		this.#debounce = undefined;
		this.#running?.abort();
		this.#running = undefined;
	}

	[Symbol.dispose](): void {
		this.cancel();
	}

	async #run(provider: AutocompleteProvider, isForced: boolean): Promise<void> {
		const running = new AbortController();
		this.#running = running;
		const { lines, line, col } = this.#host.place();
		const { promise: aborted, resolve: giveUp } = Promise.withResolvers<null>();
		running.signal.addEventListener("abort", () => giveUp(null));
		using _deadline = timer(limits.completionTimeoutMs, () => running.abort());
		const options = { signal: running.signal, ...(isForced && { force: true }) };
		// A provider of an extension may throw, fail, or never answer: then there are no suggestions.
		const asked = (async () => provider.getSuggestions(lines, line, col, options))().catch(() => null);
		const found = await Promise.race([asked, aborted]);
		// Every key that is no part of the word has cancelled it.
		if (this.#running !== running) return;
		this.#running = undefined;
		this.#host.show(found === null || found.items.length === 0 ? undefined : found, isForced);
	}
}

/** Requests completions from a provider without blocking typing, and drops late results. */
import { timer } from "@tau/utils";

import type { AutocompleteProvider, AutocompleteSuggestions } from "./autocomplete.ts";
import { limits } from "./limits.ts";

/** The state of the text that the completer needs, with labels for markers. */
export interface CompletionPosition {
	lines: string[];
	line: number;
	col: number;
}

export interface CompleterHost {
	place(): CompletionPosition;
	/** Suggestions for the current text; undefined when there are none. */
	show(suggestions: AutocompleteSuggestions | undefined, isForced: boolean): void;
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

	/** Requests completions after `delayMs`; a later request replaces this one. */
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
		// A provider of an extension may throw, fail, or never respond: then there are no suggestions.
		const response = (async () => provider.getSuggestions(lines, line, col, options))().catch(() => null);
		const suggestions = await Promise.race([response, aborted]);
		// Every key that is not part of the word has cancelled the request.
		if (this.#running !== running) return;
		this.#running = undefined;
		this.#host.show(
			suggestions === null || suggestions.items.length === 0 ? undefined : suggestions,
			isForced,
		);
	}
}

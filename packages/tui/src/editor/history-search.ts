/** The search through older prompts while it is open: what is looked for, what is found, which of it is shown. */
import { previousEdge } from "./clusters.ts";
import type { History } from "./history.ts";

export class HistorySearch {
	readonly #history: History;
	#query = "";
	#found: string[];
	/** -1 while nothing was asked for. */
	#index = -1;

	constructor(history: History) {
		this.#history = history;
		this.#found = history.search("");
	}

	get query(): string {
		return this.#query;
	}

	get shown(): string | undefined {
		return this.#found[this.#index];
	}

	/** `2/14`, or that there is nothing. */
	get place(): string {
		if (this.#found.length === 0) return "no match";
		return this.shown === undefined ? `${this.#found.length}` : `${this.#index + 1}/${this.#found.length}`;
	}

	type(text: string): void {
		this.#look(this.#query + text);
	}

	erase(): void {
		this.#look(this.#query.slice(0, previousEdge(this.#query, this.#query.length)));
	}

	/** To the next older one; the oldest stays. */
	older(): void {
		this.#index = Math.min(this.#index + 1, this.#found.length - 1);
	}

	newer(): void {
		this.#index = Math.max(this.#query === "" ? -1 : 0, this.#index - 1);
	}

	#look(query: string): void {
		this.#query = query;
		this.#found = this.#history.search(query);
		this.#index = query === "" ? -1 : 0;
	}
}

/** The open search through older prompts: the query, the matches, and the current match. */
import { previousEdge } from "./clusters.ts";
import type { History } from "./history.ts";

export class HistorySearch {
	readonly #history: History;
	#query = "";
	#matches: string[];
	/** -1 while there is no query. */
	#index = -1;

	constructor(history: History) {
		this.#history = history;
		this.#matches = history.search("");
	}

	get query(): string {
		return this.#query;
	}

	get shown(): string | undefined {
		return this.#matches[this.#index];
	}

	/** `2/14`, or that there is no match. */
	get place(): string {
		if (this.#matches.length === 0) return "no match";
		return this.shown === undefined
			? `${this.#matches.length}`
			: `${this.#index + 1}/${this.#matches.length}`;
	}

	type(text: string): void {
		this.#look(this.#query + text);
	}

	erase(): void {
		this.#look(this.#query.slice(0, previousEdge(this.#query, this.#query.length)));
	}

	/** Goes to the next older match; stays at the oldest. */
	older(): void {
		this.#index = Math.min(this.#index + 1, this.#matches.length - 1);
	}

	newer(): void {
		this.#index = Math.max(this.#query === "" ? -1 : 0, this.#index - 1);
	}

	#look(query: string): void {
		this.#query = query;
		this.#matches = this.#history.search(query);
		this.#index = query === "" ? -1 : 0;
	}
}

/** Submitted prompts, which can be recalled by the arrows or by a search. */
import { limits } from "./limits.ts";
import { pastesIn, type Marker } from "./markers.ts";

export class History {
	/** Oldest first. */
	readonly #entries: string[] = [];
	/** The pastes of entries that have any. */
	readonly #pastes = new Map<string, Marker[]>();
	#chars = 0;
	/** The position of the walk, its prefix, and the draft at its start. */
	#walk: { index: number; prefix: string; draft: string } | undefined;

	get isWalking(): boolean {
		return this.#walk !== undefined;
	}

	add(text: string, markers: readonly Marker[] = []): void {
		const entry = text.trim();
		this.leave();
		if (entry === "") return;
		const pastes = pastesIn(entry, markers);
		if (pastes.length > 0) this.#pastes.set(entry, pastes);
		if (entry === this.#entries.at(-1)) return;
		this.#entries.push(entry);
		this.#chars += entry.length;
		while (this.#entries.length > limits.historyEntries || this.#chars > limits.historyChars) {
			const dropped = this.#entries.shift();
			if (dropped === undefined) break;
			this.#chars -= dropped.length;
			if (!this.#entries.includes(dropped)) this.#pastes.delete(dropped);
		}
	}

	/** Prompts from before all others, oldest first; the oldest are left out if there are too many. */
	addEarlier(texts: readonly string[]): void {
		const known = new Set(this.#entries);
		const earlier: string[] = [];
		for (const text of texts.toReversed()) {
			const entry = text.trim();
			if (entry === "" || known.has(entry)) continue;
			if (this.#entries.length + earlier.length >= limits.historyEntries) break;
			if (this.#chars + entry.length > limits.historyChars) break;
			known.add(entry);
			earlier.unshift(entry);
			this.#chars += entry.length;
		}
		this.#entries.unshift(...earlier);
		if (this.#walk) this.#walk = { ...this.#walk, index: this.#walk.index + earlier.length };
	}

	/** What is shown as markers when this prompt is recalled. */
	pastesOf(text: string): readonly Marker[] {
		return this.#pastes.get(text) ?? [];
	}

	/** The next older prompt that begins with `prefix` and differs from the current text. */
	older(draft: string, prefix: string): string | undefined {
		const walk = this.#walk ?? { index: this.#entries.length, prefix, draft };
		const current = this.#entries[walk.index] ?? walk.draft;
		for (let index = walk.index - 1; index >= 0; index--) {
			const entry = this.#entries[index];
			if (entry === undefined || entry === current || !entry.startsWith(walk.prefix)) continue;
			this.#walk = { ...walk, index };
			return entry;
		}
		return undefined;
	}

	/** The way back, which ends at the draft. */
	newer(): string | undefined {
		const walk = this.#walk;
		if (walk === undefined) return undefined;
		const current = this.#entries[walk.index];
		for (let index = walk.index + 1; index < this.#entries.length; index++) {
			const entry = this.#entries[index];
			if (entry === undefined || entry === current || !entry.startsWith(walk.prefix)) continue;
			this.#walk = { ...walk, index };
			return entry;
		}
		this.#walk = undefined;
		return walk.draft;
	}

	/** The current text becomes a new draft. */
	leave(): void {
		this.#walk = undefined;
	}

	/** Prompts that contain the query, newest first, each once. */
	search(query: string): string[] {
		const needle = query.toLowerCase();
		return [...new Set(this.#entries.toReversed())].filter((entry) => entry.toLowerCase().includes(needle));
	}
}

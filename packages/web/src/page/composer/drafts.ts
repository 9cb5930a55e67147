/** What was typed and not sent, by session: it survives a reload. And what was sent, for the arrow keys. */
import { limits } from "../limits.ts";
import { read, write } from "../store/preferences.ts";

const draftKey = (sessionId: string): string => `tau.draft.${sessionId}`;
const historyKey = "tau.history";

export function draftOf(sessionId: string): string {
	return read(draftKey(sessionId), "");
}

export function keepDraft(sessionId: string, text: string): void {
	write(draftKey(sessionId), text === "" || text.length > limits.draftChars ? undefined : text);
}

export function remember(text: string): void {
	const before = read<string[]>(historyKey, []).filter((each) => each !== text);
	if (text.length <= limits.draftChars) write(historyKey, [...before, text].slice(-limits.historyEntries));
}

/** Goes through what was sent; the text that was there comes back at the end. */
export class PromptHistory {
	#entries: readonly string[] = [];
	#at = 0;
	#draft = "";

	/** Undefined at either end. */
	step(by: -1 | 1, current: string): string | undefined {
		if (this.#at === this.#entries.length) {
			this.#entries = read<string[]>(historyKey, []);
			this.#at = this.#entries.length;
			this.#draft = current;
		}
		const next = this.#at + by;
		if (next < 0 || next > this.#entries.length) return undefined;
		this.#at = next;
		return this.#entries[next] ?? this.#draft;
	}

	reset(): void {
		this.#at = this.#entries.length;
	}
}

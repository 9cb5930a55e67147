/** Finds words in the messages of all sessions for the list of a page, which asks for the same again every few seconds. */
import { setImmediate } from "node:timers/promises";

import { hasText, type SessionInfo } from "@tau/log";

export class TextSearch {
	#words = "";
	/** Of the last search, by file: what was found, in the file of this size. */
	#known = new Map<string, { readonly size: number; readonly has: boolean }>();

	/** The ids of the sessions that have all words. One file at a time: other requests are answered in between. */
	async find(sessions: readonly SessionInfo[], words: readonly string[]): Promise<ReadonlySet<string>> {
		const ids = new Set<string>();
		if (words.length === 0) return ids;
		const search = words.join(" ");
		if (search !== this.#words) {
			this.#words = search;
			this.#known = new Map();
		}
		const known = this.#known;
		for (const info of sessions) {
			const { id, path, size } = info;
			let last = known.get(path);
			if (last?.size !== size) {
				await setImmediate();
				last = { size, has: hasText(info, words) };
				known.set(path, last);
			}
			if (last.has) ids.add(id);
		}
		return ids;
	}
}

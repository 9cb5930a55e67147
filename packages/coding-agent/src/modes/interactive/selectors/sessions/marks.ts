/** The sessions that the user has pinned or archived: stored in one file beside the sessions, which stay untouched. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { dirs, isRecord, log } from "@tau/utils";

import { limits } from "../limits.ts";

export type Mark = "pinned" | "archived";

export class SessionMarks {
	readonly #path: string;
	#ids: Record<Mark, Set<string>>;

	constructor(path: string = join(dirs().data, "session-marks.json")) {
		this.#path = path;
		this.#ids = this.#read();
	}

	has(mark: Mark, id: string): boolean {
		return this.#ids[mark].has(id);
	}

	/** Sets or removes the mark; the file is read again, since another Tau may have changed it. */
	toggle(mark: Mark, id: string): void {
		this.#ids = this.#read();
		const ids = this.#ids[mark];
		if (!ids.delete(id)) ids.add(id);
		// The oldest marks go first.
		for (const old of [...ids].slice(0, -limits.markedSessions)) ids.delete(old);
		const text = JSON.stringify({ pinned: [...this.#ids.pinned], archived: [...this.#ids.archived] });
		mkdirSync(dirname(this.#path), { recursive: true });
		const temporary = `${this.#path}.${process.pid}`;
		writeFileSync(temporary, `${text}\n`, { mode: 0o600 });
		renameSync(temporary, this.#path);
	}

	#read(): Record<Mark, Set<string>> {
		let value: unknown;
		try {
			value = JSON.parse(readFileSync(this.#path, "utf8"));
		} catch (error) {
			// Most users have marked nothing.
			log.debug("no marked sessions", { reason: String(error) });
		}
		const ids = (mark: Mark): Set<string> => {
			const list = isRecord(value) ? value[mark] : undefined;
			return new Set(Array.isArray(list) ? list.filter((id) => typeof id === "string") : []);
		};
		return { pinned: ids("pinned"), archived: ids("archived") };
	}
}

/** Which sessions the user has pinned or archived: kept in one file beside the sessions, which stay untouched. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { changeFile } from "@tau/config/settings";
import { dirs, isRecord, log } from "@tau/utils";

import { limits } from "../limits.ts";

export type Mark = "pinned" | "archived";
type Marks = Record<Mark, Set<string>>;

export class SessionMarks {
	readonly #path: string;
	readonly #ids: Marks;

	constructor(path: string = join(dirs().data, "session-marks.json")) {
		this.#path = path;
		this.#ids = this.#read();
	}

	has(mark: Mark, id: string): boolean {
		return this.#ids[mark].has(id);
	}

	/** Sets or removes the mark, beside the changes of other processes. */
	async toggle(mark: Mark, id: string): Promise<void> {
		const isOn = !this.has(mark, id);
		change(this.#ids, mark, id, isOn);
		const written = await changeFile(this.#path, (text) => {
			const ids = parse(text);
			change(ids, mark, id, isOn);
			return {
				ok: true,
				text: `${JSON.stringify({ pinned: [...ids.pinned], archived: [...ids.archived] })}\n`,
			};
		});
		if (!written.ok) log.warn("a mark was not saved", { path: this.#path, reason: written.reason });
	}

	#read(): Marks {
		try {
			return parse(readFileSync(this.#path, "utf8"));
		} catch (error) {
			// Most users have marked nothing.
			log.debug("no marked sessions", { reason: String(error) });
			return parse("");
		}
	}
}

function change(ids: Marks, mark: Mark, id: string, isOn: boolean): void {
	ids[mark].delete(id);
	if (isOn) ids[mark].add(id);
	// The oldest marks go first.
	for (const old of [...ids[mark]].slice(0, -limits.markedSessions)) ids[mark].delete(old);
}

/** A damaged file has no marks. */
function parse(text: string): Marks {
	let value: unknown;
	try {
		value = JSON.parse(text || "{}");
	} catch (error) {
		log.warn("the marks of sessions cannot be read", { reason: String(error) });
	}
	const ids = (mark: Mark): Set<string> => {
		const list = isRecord(value) ? value[mark] : undefined;
		return new Set(Array.isArray(list) ? list.filter((id) => typeof id === "string") : []);
	};
	return { pinned: ids("pinned"), archived: ids("archived") };
}

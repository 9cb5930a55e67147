/** Which sessions were read for memory, and which are to be read again. */
import type { Database } from "bun:sqlite";

import { limits } from "./limits.ts";

export interface RegisteredSession {
	id: string;
	path: string;
	name: string;
	/** When the session was last written, as it was read. */
	modified: number;
	state: "done" | "failed";
	attempts: number;
	/** Not before then. */
	retryAt: number;
	synopsis: string;
}

export class SessionRegistry {
	readonly #db: Database;

	constructor(db: Database) {
		this.#db = db;
	}

	get(id: string): RegisteredSession | undefined {
		return (
			this.#db.query<RegisteredSession, [string]>("SELECT * FROM sessions WHERE id = ?").get(id) ?? undefined
		);
	}

	/** Whether a session that was written then has something new, and no failure has to be waited for. */
	isDue(id: string, modified: number, now: number): boolean {
		if (modified <= this.#forgottenBefore()) return false;
		const known = this.get(id);
		if (!known || known.modified < modified) return true;
		return known.state === "failed" && known.attempts < limits.attempts && known.retryAt <= now;
	}

	/** Within a transaction of the caller, together with what was found in it. */
	done(session: Pick<RegisteredSession, "id" | "path" | "name" | "modified" | "synopsis">): void {
		this.#put({ ...session, state: "done", attempts: 0, retryAt: 0 });
	}

	failed(session: Pick<RegisteredSession, "id" | "path" | "name" | "modified">, now: number): void {
		const before = this.get(session.id);
		const isSame = before?.modified === session.modified;
		const attempts = (isSame ? before.attempts : 0) + 1;
		const waitMs = Math.min(limits.retryMs * 2 ** (attempts - 1), limits.retryMostMs);
		const synopsis = before?.synopsis ?? "";
		this.#put({ ...session, synopsis, state: "failed", attempts, retryAt: now + waitMs });
	}

	/** The newest first. */
	synopses(): { id: string; name: string; modified: number; synopsis: string }[] {
		return this.#db
			.query<{ id: string; name: string; modified: number; synopsis: string }, []>(
				"SELECT id, name, modified, synopsis FROM sessions WHERE synopsis <> '' ORDER BY modified DESC",
			)
			.all();
	}

	/** Its name and its synopsis may repeat what was deleted. */
	dropWords(id: string): void {
		this.#db.query("UPDATE sessions SET synopsis = '', name = '' WHERE id = ?").run(id);
	}

	/** Sessions that were written before are not read, unless the user asks for a rebuild. */
	forgetBefore(time: number): void {
		this.#db.query("INSERT OR REPLACE INTO meta VALUES ('forgottenBefore', ?)").run(String(time));
	}

	/** Everything is read again. */
	reset(): void {
		this.#db
			.transaction(() => {
				this.#db.run("UPDATE sessions SET modified = 0, attempts = 0, retryAt = 0");
				this.#db.run("DELETE FROM meta WHERE name IN ('forgottenBefore', 'consolidated')");
			})
			.immediate();
	}

	#forgottenBefore(): number {
		const row = this.#db
			.query<{ value: string }, []>("SELECT value FROM meta WHERE name = 'forgottenBefore'")
			.get();
		return Number(row?.value ?? 0);
	}

	#put({ id, path, name, modified, state, attempts, retryAt, synopsis }: RegisteredSession): void {
		this.#db
			.query("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
			.run(id, path, name, modified, state, attempts, retryAt, synopsis);
	}
}

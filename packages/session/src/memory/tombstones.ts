/** What the user has deleted: recognized when a model extracts it again, without keeping its words. */
import type { Database } from "bun:sqlite";

import type { Fact } from "./fact.ts";
import { limits } from "./limits.ts";
import { contentStems } from "./terms.ts";

/** How much two facts must have in common to be the same one: less is enough if they come from the same session. */
const sameShare = { anySession: 0.75, sameSession: 0.5 } as const;

export class Tombstones {
	readonly #db: Database;

	constructor(db: Database) {
		this.#db = db;
	}

	/** Within a transaction of the caller. */
	add({ text, session }: Pick<Fact, "text" | "session">): void {
		this.#db
			.query("INSERT INTO tombstones VALUES (?, ?, ?)")
			.run(session, [...this.#marks(text)].join(" "), Date.now());
		this.#db
			.query("DELETE FROM tombstones WHERE rowid <= (SELECT max(rowid) FROM tombstones) - ?")
			.run(limits.tombstones);
	}

	/** The user has taken the deletion back. */
	lift(text: string): void {
		const marks = [...this.#marks(text)].join(" ");
		this.#db.query("DELETE FROM tombstones WHERE words = ?").run(marks);
	}

	covers({ text, session }: Pick<Fact, "text" | "session">): boolean {
		const marks = this.#marks(text);
		return this.#db
			.query<{ session: string; words: string }, []>("SELECT session, words FROM tombstones")
			.all()
			.some((stone) => {
				const share = overlap(marks, new Set(stone.words.split(" ")));
				return share >= (stone.session === session ? sameShare.sameSession : sameShare.anySession);
			});
	}

	/** Salted for this database: the words cannot be looked up in a table of hashes. */
	#marks(text: string): Set<string> {
		const salt = this.#salt();
		return new Set([...contentStems(text)].map((word) => Bun.hash(salt + word).toString(36)).toSorted());
	}

	#salt(): string {
		const read = this.#db.query<{ value: string }, []>("SELECT value FROM meta WHERE name = 'salt'");
		const known = read.get()?.value;
		if (known !== undefined) return known;
		this.#db.query("INSERT OR IGNORE INTO meta VALUES ('salt', ?)").run(crypto.randomUUID());
		return read.get()?.value ?? "";
	}
}

/** The part that two sets have in common. */
export function overlap(one: ReadonlySet<string>, two: ReadonlySet<string>): number {
	if (one.size === 0 || two.size === 0) return 0;
	const common = one.intersection(two).size;
	return common / (one.size + two.size - common);
}

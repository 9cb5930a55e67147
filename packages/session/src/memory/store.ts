/** The memory of one project, or of the user: facts, skills, and a log by which every change can be undone. */
import type { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { openDatabase, unusable } from "./database.ts";
import {
	standingOrder,
	type Fact,
	type MemoryChange,
	type NewFact,
	type RowChange,
	type Skill,
} from "./fact.ts";
import { limits } from "./limits.ts";
import { retrieve, type Match, type RetrieveOptions } from "./retrieve.ts";
import { SessionRegistry } from "./session-registry.ts";
import { indexWords } from "./terms.ts";
import { Tombstones } from "./tombstones.ts";

const databaseName = "memory.sqlite";

/** Collects what a change does; nothing is written before all of it is known. */
export interface ChangeDraft {
	add(fact: NewFact): number;
	update(fact: Fact, changed: Partial<NewFact>): void;
	remove(fact: Fact): void;
	putSkill(skill: Skill): void;
	removeSkill(name: string): void;
}

export interface ChangeOptions {
	label: string;
	/** Stored for the user's yes instead of being applied. */
	propose?: boolean;
	/** Runs in the same transaction, after the rows. */
	after?(): void;
}

export class MemoryStore implements Disposable {
	readonly directory: string;
	readonly #db: Database;
	readonly tombstones: Tombstones;
	readonly sessions: SessionRegistry;
	/** Where a damaged database was moved when this one was opened. */
	readonly setAside: string | undefined;

	/** With `check`, the whole file is checked for damage. */
	constructor(directory: string, { check = false }: { check?: boolean } = {}) {
		this.directory = directory;
		const { db, setAside } = openDatabase(join(directory, databaseName), check);
		this.#db = db;
		this.setAside = setAside;
		this.tombstones = new Tombstones(db);
		this.sessions = new SessionRegistry(db);
		// With the old database went what the user has deleted: only an explicit rebuild reads old sessions again.
		if (setAside !== undefined) this.sessions.forgetBefore(Date.now());
	}

	/** Undefined if nothing is stored there. */
	static openExisting(directory: string): MemoryStore | undefined {
		return existsSync(join(directory, databaseName)) ? new MemoryStore(directory) : undefined;
	}

	/** In the order in which they were said. */
	facts(): Fact[] {
		return this.#db.query<Fact, []>("SELECT * FROM facts ORDER BY said, id").all();
	}

	fact(id: number): Fact | undefined {
		return this.#db.query<Fact, [number]>("SELECT * FROM facts WHERE id = ?").get(id) ?? undefined;
	}

	factsOfSession(session: string): Fact[] {
		return this.#db
			.query<Fact, [string]>("SELECT * FROM facts WHERE session = ? ORDER BY position")
			.all(session);
	}

	/** What counts, the most important first: by kind, the user's own words before the model's, then the newest. */
	standing(now = Date.now()): Fact[] {
		const ofKind = this.#db.query<Fact, [string, string, number, number]>(
			"SELECT * FROM facts WHERE replacedBy IS NULL AND who = ? AND kind = ? AND (expires IS NULL OR expires > ?) ORDER BY said DESC LIMIT ?",
		);
		const facts: Fact[] = [];
		for (const [who, kind] of standingOrder) {
			if (facts.length >= limits.standing) break;
			facts.push(...ofKind.all(who, kind, now, limits.standing - facts.length));
		}
		return facts;
	}

	skills(): Skill[] {
		return this.#db.query<Skill, []>("SELECT * FROM skills ORDER BY name").all();
	}

	search(query: string, options?: RetrieveOptions): Match[] {
		return retrieve(this.#db, query, options);
	}

	/** Newest first. */
	changes(state: MemoryChange["state"] = "applied"): MemoryChange[] {
		return this.#db
			.query<ChangeRow, [string]>("SELECT * FROM changes WHERE state = ? ORDER BY id DESC")
			.all(state)
			.map(changeOf);
	}

	/** All rows and their entry in the undo log are written together, or nothing is. Undefined if nothing changed. */
	change(
		{ label, propose = false, after }: ChangeOptions,
		make: (draft: ChangeDraft) => void,
	): MemoryChange | undefined {
		return this.#write(() => {
			const rows = new Map<string, RowChange>();
			make(this.#draft(rows));
			const list = [...rows.values()].filter(({ before, after: now }) => before !== null || now !== null);
			after?.();
			if (list.length === 0) return undefined;
			if (!propose) for (const row of list) this.#put(row.table, row.key, row.after);
			return this.#record(label, list, propose ? "proposed" : "applied");
		});
	}

	/** Takes the last change back; undefined if there is none. */
	undo(): MemoryChange | undefined {
		return this.#write(() => {
			const [last] = this.changes();
			if (!last) return undefined;
			for (const { table, key, before } of last.rows) this.#put(table, key, before);
			for (const { before } of last.rows) if (before && "text" in before) this.tombstones.lift(before.text);
			this.#forgetChange(last.id);
			return last;
		});
	}

	/**
	 * Applies a proposed change, or only these of its rows; what has changed since is left alone. A fact that is refused
	 * is not proposed again.
	 */
	accept(id: number, isWanted: (row: RowChange) => boolean = () => true): MemoryChange | undefined {
		return this.#write(() => {
			const change = this.changes("proposed").find((each) => each.id === id);
			if (!change) return undefined;
			this.#refuse(change.rows.filter((row) => !isWanted(row)));
			const rows = change.rows.filter((row) => isWanted(row) && this.#isAsBefore(row));
			for (const { table, key, after } of rows) this.#put(table, key, after);
			this.#forgetChange(id);
			return rows.length > 0 ? this.#record(change.label, rows, "applied") : undefined;
		});
	}

	reject(id: number): void {
		this.accept(id, () => false);
	}

	/** A proposal is not made any more: a newer one takes its place. */
	withdraw(id: number): void {
		this.#write(() => this.#forgetChange(id));
	}

	/**
	 * Removes a fact, with those that it replaced, so that no rebuild brings them back; `forever` removes them from the
	 * undo log as well.
	 */
	delete(fact: Fact, forever: boolean): void {
		const gone = this.#withReplaced(fact);
		const bury = (): void => gone.forEach((each) => this.tombstones.add(each));
		this.change({ label: `deleted: ${fact.text}`, after: bury }, (draft) => {
			for (const each of gone) draft.remove(each);
		});
		if (!forever) return;
		const ids = new Set(gone.map(({ id }) => id));
		this.#write(() => {
			for (const { id, rows } of [...this.changes(), ...this.changes("proposed")]) {
				const kept = rows.filter(({ table, key }) => table !== "facts" || !ids.has(Number(key)));
				if (kept.length === 0) this.#forgetChange(id);
				else if (kept.length < rows.length)
					// The label may repeat what was said.
					this.#db
						.query("UPDATE changes SET rows = ?, label = 'a change' WHERE id = ?")
						.run(JSON.stringify(kept), id);
			}
			for (const { session } of gone) this.sessions.dropWords(session);
		});
		this.#scrub();
	}

	/** Removes all facts and skills; `forever` removes the undo log, too. Sessions up to now are not read again. */
	clear(forever: boolean): void {
		this.change({ label: "cleared", after: () => this.sessions.forgetBefore(Date.now()) }, (draft) => {
			for (const fact of this.facts()) draft.remove(fact);
			for (const { name } of this.skills()) draft.removeSkill(name);
		});
		this.#write(() => this.#db.run("DELETE FROM changes WHERE state = 'proposed'"));
		if (!forever) return;
		this.#write(() => {
			for (const table of ["changes", "tombstones", "sessions"]) this.#db.run(`DELETE FROM ${table}`);
		});
		this.#scrub();
	}

	meta(name: string): string | undefined {
		return this.#db.query<{ value: string }, [string]>("SELECT value FROM meta WHERE name = ?").get(name)
			?.value;
	}

	setMeta(name: string, value: string): void {
		this.#write(() => this.#db.query("INSERT OR REPLACE INTO meta VALUES (?, ?)").run(name, value));
	}

	[Symbol.dispose](): void {
		this.#db.close();
	}

	#write<T>(work: () => T): T {
		try {
			return this.#db.transaction(work).immediate();
		} catch (error) {
			throw unusable(error, join(this.directory, databaseName));
		}
	}

	#draft(rows: Map<string, RowChange>): ChangeDraft {
		let next = this.#nextId();
		const set = (table: RowChange["table"], key: RowChange["key"], after: RowChange["after"]): void => {
			const before = rows.get(`${table} ${key}`)?.before ?? this.#get(table, key);
			rows.set(`${table} ${key}`, { table, key, before, after });
		};
		return {
			add: (fact) => {
				const id = next++;
				set("facts", id, { id, ...fact });
				return id;
			},
			update: ({ id }, changed) => {
				const pending = rows.get(`facts ${id}`);
				const latest = pending ? pending.after : this.#get("facts", id);
				// What was deleted meanwhile stays deleted.
				if (latest && "text" in latest) set("facts", id, { ...latest, ...changed });
			},
			remove: ({ id }) => set("facts", id, null),
			putSkill: (skill) => set("skills", skill.name, skill),
			removeSkill: (name) => set("skills", name, null),
		};
	}

	#withReplaced(fact: Fact): Fact[] {
		const older = this.#db.query<Fact, [number]>("SELECT * FROM facts WHERE replacedBy = ?").all(fact.id);
		return [fact, ...older.flatMap((each) => this.#withReplaced(each))];
	}

	/** Never an id that was used before: a name that a user has seen must not mean another fact later. */
	#nextId(): number {
		const highest =
			this.#db.query<{ id: number | null }, []>("SELECT max(id) AS id FROM facts").get()?.id ?? 0;
		const used = Number(this.meta("lastFact") ?? 0);
		return Math.max(highest, used) + 1;
	}

	#record(label: string, rows: RowChange[], state: MemoryChange["state"]): MemoryChange {
		const at = Date.now();
		const ids = rows.flatMap(({ table, key }) => (table === "facts" ? [Number(key)] : []));
		this.#db
			.query("INSERT OR REPLACE INTO meta VALUES ('lastFact', ?)")
			.run(String(Math.max(Number(this.meta("lastFact") ?? 0), ...ids)));
		const { lastInsertRowid } = this.#db
			.query("INSERT INTO changes (at, label, state, rows) VALUES (?, ?, ?, ?)")
			.run(at, label, state, JSON.stringify(rows));
		this.#trimChanges();
		return { id: Number(lastInsertRowid), at, label, rows, state };
	}

	/** The newest one is kept whatever its size: what was done last can always be undone. */
	#trimChanges(): void {
		let chars = 0;
		const sizes = this.#db
			.query<{ id: number; size: number }, []>(
				"SELECT id, length(rows) AS size FROM changes ORDER BY id DESC",
			)
			.all();
		for (const [at, { id, size }] of sizes.entries()) {
			chars += size;
			if (at > 0 && (at >= limits.changes || chars > limits.changeChars)) this.#forgetChange(id);
		}
	}

	#forgetChange(id: number): void {
		this.#db.query("DELETE FROM changes WHERE id = ?").run(id);
	}

	#refuse(rows: readonly RowChange[]): void {
		for (const { before, after } of rows)
			if (before === null && after && "text" in after) this.tombstones.add(after);
	}

	#isAsBefore({ table, key, before }: RowChange): boolean {
		return JSON.stringify(this.#get(table, key)) === JSON.stringify(before);
	}

	#get(table: RowChange["table"], key: RowChange["key"]): Fact | Skill | null {
		if (table === "facts") return this.fact(Number(key)) ?? null;
		return this.#db.query<Skill, [string]>("SELECT * FROM skills WHERE name = ?").get(String(key));
	}

	#put(table: RowChange["table"], key: RowChange["key"], row: Fact | Skill | null): void {
		if (table === "skills") {
			this.#db.query("DELETE FROM skills WHERE name = ?").run(String(key));
			if (row && "body" in row)
				this.#db.query("INSERT INTO skills VALUES (?, ?, ?)").run(row.name, row.description, row.body);
			return;
		}
		this.#db.query("DELETE FROM facts WHERE id = ?").run(Number(key));
		this.#db.query("DELETE FROM found WHERE rowid = ?").run(Number(key));
		if (!row || !("text" in row)) return;
		const { id, kind, text, subject, who, session, entry, quote, position, said, expires, replacedBy } = row;
		this.#db
			.query("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
			.run(id, kind, text, subject, who, session, entry, quote, position, said, expires, replacedBy);
		this.#db
			.query("INSERT INTO found (rowid, text, subject, words) VALUES (?, ?, ?, ?)")
			.run(id, text, subject, indexWords(`${text} ${subject}`));
	}

	/** No byte of what was deleted stays in the file or its log. */
	#scrub(): void {
		try {
			this.#db.run("INSERT INTO found (found) VALUES ('optimize')");
			this.#db.run("VACUUM");
			this.#db.run("PRAGMA wal_checkpoint(TRUNCATE)");
		} catch (error) {
			throw unusable(error, join(this.directory, databaseName));
		}
	}
}

interface ChangeRow {
	id: number;
	at: number;
	label: string;
	state: MemoryChange["state"];
	rows: string;
}

function changeOf({ rows, ...row }: ChangeRow): MemoryChange {
	// This version wrote the rows, or the database would have another number.
	return { ...row, rows: JSON.parse(rows) as RowChange[] };
}

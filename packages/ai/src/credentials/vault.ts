/** The stored credentials of this user as rows; a damaged file is replaced and reported. */
import type { Database } from "bun:sqlite";

import { registerSecret, uuidv7 } from "@tau/utils";

import { describeDatabaseError, isDamage, openDatabase, setAside } from "./database.ts";
import { limits } from "./limits.ts";
import {
	CredentialError,
	type CredentialKind,
	type CredentialVault,
	type NewCredential,
	type StoredCredential,
} from "./types.ts";

interface Row {
	id: string;
	provider: string;
	kind: CredentialKind;
	access: string;
	refresh: string | null;
	expires_at: number | null;
	account: string | null;
	base_url: string | null;
	created_at: number;
	last_used_at: number;
	rests_until: number;
	refused: string | null;
	strikes: number;
	revision: number;
	lease_owner: string | null;
	lease_until: number | null;
	project: string | null;
}

/** Whether this process may renew, another process does, or it is not needed any more. */
export type Lease =
	| { state: "mine"; owner: string; credential: StoredCredential }
	| { state: "taken" }
	| { state: "renewed"; credential: StoredCredential }
	| { state: "gone" };

export class Vault implements CredentialVault {
	readonly #path: string;
	readonly #onNotice: (message: string) => void;
	#db: Database | undefined;

	constructor(path: string, onNotice: (message: string) => void) {
		this.#path = path;
		this.#onNotice = onNotice;
	}

	list(provider?: string): StoredCredential[] {
		return this.#use((db) => {
			const sql = "SELECT * FROM credentials WHERE ?1 IS NULL OR provider = ?1 ORDER BY created_at, id";
			return db
				.query<Row, [string | null]>(sql)
				.all(provider ?? null)
				.map(fromRow);
		});
	}

	checkWritable(provider: string): void {
		this.list(provider);
	}

	add(provider: string, credential: NewCredential, now: number, only = false): StoredCredential {
		return this.#write((db) => {
			const others = this.list(provider).filter(({ kind }) => kind === credential.kind);
			const same = others.find((other) => isSame(other, credential));
			// Without a name it is unknown whether this is the same account; a refused one is better removed.
			const stale = others.filter(
				({ refused, account }) => only || (refused !== undefined && account === undefined),
			);
			for (const { id } of stale) if (id !== same?.id) remove(db, id);
			const stored: StoredCredential = {
				...credential,
				id: same?.id ?? uuidv7(),
				provider,
				createdAt: same?.createdAt ?? now,
				lastUsedAt: same?.lastUsedAt ?? 0,
				restsUntil: 0,
				strikes: 0,
				revision: (same?.revision ?? 0) + 1,
			};
			insert(db, stored);
			return stored;
		});
	}

	remove(provider: string, access: string | null = null): number {
		const sql = "DELETE FROM credentials WHERE provider = ?1 AND (?2 IS NULL OR access = ?2)";
		return this.#write((db) => db.query<unknown, [string, string | null]>(sql).run(provider, access).changes);
	}

	bound(session: string, provider: string): string | undefined {
		return this.#use((db) => {
			const sql = "SELECT credential FROM bindings WHERE session = ?1 AND provider = ?2";
			return db.query<{ credential: string }, [string, string]>(sql).get(session, provider)?.credential;
		});
	}

	take(
		provider: string,
		session: string | undefined,
		now: number,
		pick: (all: StoredCredential[]) => StoredCredential | undefined,
	): StoredCredential | undefined {
		return this.#write((db) => {
			const all = this.list(provider);
			const chosen = pick(all);
			if (!chosen) return undefined;
			// Later than all others, also if the machine's clock went back.
			const turn = Math.max(now, ...all.map(({ lastUsedAt }) => lastUsedAt + 1));
			db.query("UPDATE credentials SET last_used_at = ?1 WHERE id = ?2").run(turn, chosen.id);
			if (session === undefined) return chosen;
			db.query("DELETE FROM bindings WHERE bound_at < ?1").run(now - limits.bindingMs);
			db.query("INSERT OR REPLACE INTO bindings VALUES (?1, ?2, ?3, ?4)").run(
				session,
				provider,
				chosen.id,
				now,
			);
			return chosen;
		});
	}

	change(id: string, next: (current: StoredCredential) => Partial<StoredCredential>): void {
		this.#write((db) => {
			const row = find(db, id);
			if (row) insert(db, { ...row, ...next(row) });
		});
	}

	/** Requests the right to renew a credential whose tokens were last seen at this revision. */
	lease(id: string, revision: number, now: number): Lease {
		return this.#write((db): Lease => {
			const row = db.query<Row, [string]>("SELECT * FROM credentials WHERE id = ?1").get(id);
			if (!row || row.refused !== null) return { state: "gone" };
			if (row.revision !== revision) return { state: "renewed", credential: fromRow(row) };
			if (row.lease_owner !== null && (row.lease_until ?? 0) > now) return { state: "taken" };
			const owner = uuidv7();
			const sql = "UPDATE credentials SET lease_owner = ?1, lease_until = ?2 WHERE id = ?3";
			db.query(sql).run(owner, now + limits.leaseMs, id);
			return { state: "mine", owner, credential: fromRow(row) };
		});
	}

	/** Ends a renewal. Its result is stored unless another process has changed the tokens in the meantime. */
	settle(
		{ owner, credential: { id, revision } }: Extract<Lease, { state: "mine" }>,
		change: Partial<StoredCredential>,
	): StoredCredential | undefined {
		return this.#write((db) => {
			db.query(
				"UPDATE credentials SET lease_owner = NULL, lease_until = NULL WHERE id = ?1 AND lease_owner = ?2",
			).run(id, owner);
			const current = find(db, id);
			if (!current || current.revision !== revision) return current;
			const next = { ...current, ...change };
			insert(db, next);
			return next;
		});
	}

	[Symbol.dispose](): void {
		this.#db?.close();
		this.#db = undefined;
	}

	#write<T>(work: (db: Database) => T): T {
		return this.#use((db) => (db.inTransaction ? work(db) : db.transaction(() => work(db)).immediate()));
	}

	#use<T>(work: (db: Database) => T): T {
		try {
			return work(this.#open());
		} catch (error) {
			if (this.#db?.inTransaction === true) throw error;
			if (!isDamage(error)) throw new CredentialError(describeDatabaseError(error, this.#path));
		}
		this[Symbol.dispose]();
		const aside = setAside(this.#path);
		if (aside !== undefined) {
			this.#onNotice(`${this.#path} was damaged and moved to ${aside}. Log in again with tau login`);
		}
		try {
			return work(this.#open());
		} catch (error) {
			throw new CredentialError(describeDatabaseError(error, this.#path));
		}
	}

	#open(): Database {
		this.#db ??= openDatabase(this.#path);
		return this.#db;
	}
}

function isSame(other: StoredCredential, credential: NewCredential): boolean {
	if (other.account !== undefined && other.account === credential.account) return true;
	return (
		other.access === credential.access ||
		(other.refresh !== undefined && other.refresh === credential.refresh)
	);
}

function find(db: Database, id: string): StoredCredential | undefined {
	const row = db.query<Row, [string]>("SELECT * FROM credentials WHERE id = ?1").get(id);
	return row ? fromRow(row) : undefined;
}

function remove(db: Database, id: string): void {
	db.query("DELETE FROM credentials WHERE id = ?1").run(id);
}

/** `INSERT OR REPLACE` would delete the row, and with it the sessions that are bound to it. */
function insert(db: Database, credential: StoredCredential): void {
	db.query(
		`INSERT INTO credentials VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, NULL, NULL, ?15)
		ON CONFLICT (id) DO UPDATE SET access = ?4, refresh = ?5, expires_at = ?6, account = ?7, base_url = ?8,
			last_used_at = ?10, rests_until = ?11, refused = ?12, strikes = ?13, revision = ?14, project = ?15`,
	).run(
		credential.id,
		credential.provider,
		credential.kind,
		credential.access,
		credential.refresh ?? null,
		credential.expiresAt ?? null,
		credential.account ?? null,
		credential.baseUrl ?? null,
		credential.createdAt,
		credential.lastUsedAt,
		credential.restsUntil,
		credential.refused ?? null,
		credential.strikes,
		credential.revision,
		credential.project ?? null,
	);
}

function fromRow(row: Row): StoredCredential {
	// From here on it may be part of a request, and a server may quote it.
	registerSecret(row.access);
	if (row.refresh !== null) registerSecret(row.refresh);
	return {
		id: row.id,
		provider: row.provider,
		kind: row.kind,
		access: row.access,
		createdAt: row.created_at,
		lastUsedAt: row.last_used_at,
		restsUntil: row.rests_until,
		strikes: row.strikes,
		revision: row.revision,
		...(row.refresh === null ? {} : { refresh: row.refresh }),
		...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
		...(row.account === null ? {} : { account: row.account }),
		...(row.base_url === null ? {} : { baseUrl: row.base_url }),
		...(row.refused === null ? {} : { refused: row.refused }),
		...(row.project === null ? {} : { project: row.project }),
	};
}

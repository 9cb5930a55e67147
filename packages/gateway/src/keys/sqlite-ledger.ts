/** Keys and accounts of one node, in a file that only its owner can read. */
import { Database, type Statement } from "bun:sqlite";
import { chmodSync, closeSync, openSync } from "node:fs";
import { dirname, join } from "node:path";

import { dirs, privateDirectory, type Env } from "@tau/utils";

import { amountNames, noAmounts, type Amounts, type KeyRow, type Ledger, type Period } from "./ledger.ts";

/** `<config>/auth-gateway.db`. */
export function ledgerPath(env: Env = process.env): string {
	return join(dirs(env).config, "auth-gateway.db");
}

const pragmas = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;";
const keysTable = "CREATE TABLE IF NOT EXISTS keys (id TEXT PRIMARY KEY, row TEXT NOT NULL);";
const amountColumns = amountNames.map((name) => `${name} ${name === "cost" ? "REAL" : "INTEGER"} NOT NULL`);
const accountsTable = `CREATE TABLE IF NOT EXISTS accounts (key TEXT, period TEXT, until INTEGER, ${amountColumns.join(", ")}, PRIMARY KEY (key, period)) WITHOUT ROWID;`;

const sums = amountNames.map((name) => `${name} = ${name} + excluded.${name}`);
const addAmounts = `INSERT INTO accounts VALUES (?, ?, ?${", ?".repeat(amountNames.length)}) ON CONFLICT (key, period) DO UPDATE SET ${sums.join(", ")} RETURNING ${amountNames.join(", ")}`;
const readAmounts = `SELECT ${amountNames.join(", ")} FROM accounts WHERE key = ? AND period = ?`;

/** Throws when the file cannot be used. */
export class SqliteLedger implements Ledger {
	readonly #database: Database;
	/** Prepared once, as they are used by each request. */
	readonly #adding: Statement<Amounts, (string | number)[]>;
	readonly #reading: Statement<Amounts, [string, string]>;
	/** Of this node alone, so that a restart may ask a resting credential once. */
	readonly #rests = new Map<string, number>();
	#sweptAt = 0;

	constructor(path: string) {
		privateDirectory(dirname(path));
		// Created before SQLite does, which would let others read it.
		closeSync(openSync(path, "a", 0o600));
		chmodSync(path, 0o600);
		this.#database = new Database(path, { create: true });
		this.#database.exec(pragmas + keysTable + accountsTable);
		this.#adding = this.#database.prepare(addAmounts);
		this.#reading = this.#database.prepare(readAmounts);
	}

	async put(row: KeyRow): Promise<void> {
		this.#database.query("INSERT OR REPLACE INTO keys VALUES (?, ?)").run(row.id, JSON.stringify(row));
	}

	async row(id: string): Promise<KeyRow | undefined> {
		const found = this.#database
			.query<{ row: string }, [string]>("SELECT row FROM keys WHERE id = ?")
			.get(id);
		return found ? (JSON.parse(found.row) as KeyRow) : undefined;
	}

	async rows(): Promise<KeyRow[]> {
		const rows = this.#database.query<{ row: string }, []>("SELECT row FROM keys").all();
		return rows.map(({ row }) => JSON.parse(row) as KeyRow);
	}

	async add(id: string, periods: readonly Period[], amounts: Partial<Amounts>): Promise<Amounts[]> {
		const seconds = Math.floor(Date.now() / 1000);
		const values = amountNames.map((name) => amounts[name] ?? 0);
		this.#sweep(seconds);
		return this.#database.transaction(() =>
			periods.map(
				({ name, keptSeconds }) =>
					this.#adding.get(id, name, seconds + keptSeconds, ...values) ?? noAmounts(),
			),
		)();
	}

	async read(id: string, periods: readonly Period[]): Promise<Amounts[]> {
		return periods.map(({ name }) => this.#reading.get(id, name) ?? noAmounts());
	}

	async rest(fingerprint: string, ms: number): Promise<void> {
		this.#rests.set(fingerprint, Date.now() + ms);
	}

	async restsFor(fingerprint: string): Promise<number> {
		return Math.max(0, (this.#rests.get(fingerprint) ?? 0) - Date.now());
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#adding.finalize();
		this.#reading.finalize();
		this.#database.close();
	}

	/** Once a minute, as most accounts are of one. */
	#sweep(seconds: number): void {
		if (seconds < this.#sweptAt + 60) return;
		this.#sweptAt = seconds;
		this.#database.query("DELETE FROM accounts WHERE until < ?").run(seconds);
		for (const [fingerprint, until] of this.#rests) if (until < Date.now()) this.#rests.delete(fingerprint);
	}
}

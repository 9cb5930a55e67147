/** Opens the database of credentials: private, shared between processes, and moved aside when it is damaged. */
import { Database } from "bun:sqlite";
import { chmodSync, closeSync, mkdirSync, openSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";

import { limits } from "./limits.ts";
import { CredentialError } from "./types.ts";

const schemaVersion = 2;

const credentials = [
	"id TEXT PRIMARY KEY",
	"provider TEXT NOT NULL",
	"kind TEXT NOT NULL CHECK (kind IN ('api_key', 'oauth'))",
	"access TEXT NOT NULL",
	"refresh TEXT",
	"expires_at INTEGER",
	"account TEXT",
	"base_url TEXT",
	"created_at INTEGER NOT NULL",
	"last_used_at INTEGER NOT NULL",
	"rests_until INTEGER NOT NULL",
	"refused TEXT",
	"strikes INTEGER NOT NULL",
	"revision INTEGER NOT NULL",
	"lease_owner TEXT",
	"lease_until INTEGER",
	"project TEXT",
];

const bindings = [
	"session TEXT NOT NULL",
	"provider TEXT NOT NULL",
	"credential TEXT NOT NULL REFERENCES credentials (id) ON DELETE CASCADE",
	"bound_at INTEGER NOT NULL",
	"PRIMARY KEY (session, provider)",
];

const schema = [
	`CREATE TABLE credentials (${credentials.join(", ")}) STRICT`,
	"CREATE INDEX credentials_provider ON credentials (provider)",
	`CREATE TABLE bindings (${bindings.join(", ")}) STRICT, WITHOUT ROWID`,
];

/** The columns that the first version lacks. */
const fromFirst = ["ALTER TABLE credentials ADD COLUMN project TEXT"];

/** Creates the file and its folder if they are missing. Throws SQLite's error, or a `CredentialError`. */
export function openDatabase(path: string): Database {
	try {
		mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
		// The file is created before SQLite would create it with the user's umask; its companions inherit this mode.
		closeSync(openSync(path, "a", 0o600));
		if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
	} catch (error) {
		throw new CredentialError(`Cannot write ${path}: ${reasonOf(error)}`);
	}
	const db = new Database(path, { readwrite: true, strict: true });
	try {
		db.run(`PRAGMA busy_timeout = ${limits.busyMs}`);
		db.run("PRAGMA journal_mode = WAL");
		// A renewed token that is lost in a power failure cannot be obtained again.
		db.run("PRAGMA synchronous = FULL");
		db.run("PRAGMA foreign_keys = ON");
		// Deleted data is overwritten, not only unlinked.
		db.run("PRAGMA secure_delete = ON");
		migrate(db, path);
		return db;
	} catch (error) {
		db.close();
		throw error;
	}
}

function migrate(db: Database, path: string): void {
	if (versionOf(db) === schemaVersion) return;
	db.transaction(() => {
		const version = versionOf(db);
		if (version > schemaVersion) {
			throw new CredentialError(
				`${path} was written by a newer version of Tau. Update Tau, or move the file away`,
			);
		}
		if (version === schemaVersion) return;
		for (const statement of version === 0 ? schema : fromFirst) db.run(statement);
		db.run(`PRAGMA user_version = ${schemaVersion}`);
	}).immediate();
}

function versionOf(db: Database): number {
	return db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}

export function isDamage(error: unknown): boolean {
	return /^SQLITE_(?:CORRUPT|NOTADB)/.test(codeOf(error));
}

/**
 * Moves a damaged file aside and returns its new path. Nothing is moved when another process has already replaced the
 * file.
 */
export function setAside(path: string): string | undefined {
	if (isIntact(path)) return undefined;
	const name = `${path}.damaged-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}`;
	for (const suffix of ["", "-wal", "-shm"]) {
		try {
			renameSync(path + suffix, name + suffix);
		} catch (error) {
			// Companions exist only while a process has the file open.
			if (suffix === "")
				throw new CredentialError(`${path} is damaged and cannot be moved: ${reasonOf(error)}`);
		}
	}
	return name;
}

function isIntact(path: string): boolean {
	try {
		using db = openDatabase(path);
		const [row] = db.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").all();
		return row?.quick_check === "ok";
	} catch {
		// The next process that opens the file reports why it cannot be read.
		return false;
	}
}

/** SQLite's messages for a full, read-only or unreachable disk do not name the file. */
export function describeDatabaseError(error: unknown, path: string): string {
	if (error instanceof CredentialError) return error.message;
	const code = codeOf(error);
	if (code.startsWith("SQLITE_READONLY")) return `Cannot write ${path}: the file or its disk is read-only`;
	if (code.startsWith("SQLITE_FULL")) return `Cannot write ${path}: the disk is full`;
	if (code.startsWith("SQLITE_BUSY")) return `${path} is locked by another process`;
	return `Cannot use ${path}: ${reasonOf(error)}`;
}

function codeOf(error: unknown): string {
	return error instanceof Error && "code" in error ? String(error.code) : "";
}

function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

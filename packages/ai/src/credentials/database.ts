/** Opens the file that credentials are kept in: private, shared between processes, and set aside when it is damaged. */
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

/** What the first version lacks. */
const fromFirst = ["ALTER TABLE credentials ADD COLUMN project TEXT"];

/** Creates the file and its folder where they are missing. Throws what SQLite says, or a `CredentialError`. */
export function openDatabase(path: string): Database {
	try {
		mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
		// Before SQLite creates it with the mode that the person's umask leaves; its companions take over this one's.
		closeSync(openSync(path, "a", 0o600));
		if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
	} catch (error) {
		throw new CredentialError(`Cannot write ${path}: ${reasonOf(error)}`);
	}
	const db = new Database(path, { readwrite: true, strict: true });
	try {
		db.run(`PRAGMA busy_timeout = ${limits.busyMs}`);
		db.run("PRAGMA journal_mode = WAL");
		// A renewed token that a power cut takes away cannot be had again.
		db.run("PRAGMA synchronous = FULL");
		db.run("PRAGMA foreign_keys = ON");
		// What is forgotten is overwritten, not only unlinked.
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
 * Moves a damaged file out of the way and says where to. Nothing is moved when another process has already put a
 * sound file into its place.
 */
export function setAside(path: string): string | undefined {
	if (isSound(path)) return undefined;
	const name = `${path}.damaged-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}`;
	for (const suffix of ["", "-wal", "-shm"]) {
		try {
			renameSync(path + suffix, name + suffix);
		} catch (error) {
			// Companions are there only while somebody has the file open.
			if (suffix === "")
				throw new CredentialError(`${path} is damaged and cannot be moved: ${reasonOf(error)}`);
		}
	}
	return name;
}

function isSound(path: string): boolean {
	try {
		using db = openDatabase(path);
		const [row] = db.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").all();
		return row?.quick_check === "ok";
	} catch {
		// Whatever stops it from being read is reported by whoever opens it next.
		return false;
	}
}

/** SQLite's own words for a full, read-only or unreachable disk do not say which file is meant. */
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

/** Opens the database of one memory: private, shared between processes, and moved aside when it is damaged. */
import { Database } from "bun:sqlite";
import { closeSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";

import { log, privateDirectory } from "@tau/utils";

import { UserError } from "../run/user-error.ts";
import { limits } from "./limits.ts";

const schemaVersion = 1;

const facts = [
	"id INTEGER PRIMARY KEY",
	"kind TEXT NOT NULL",
	"text TEXT NOT NULL",
	"subject TEXT NOT NULL",
	"who TEXT NOT NULL",
	"session TEXT NOT NULL",
	"entry TEXT NOT NULL",
	"quote TEXT NOT NULL",
	"position INTEGER NOT NULL",
	"said INTEGER NOT NULL",
	"expires INTEGER",
	"replacedBy INTEGER",
];

const sessions = [
	"id TEXT PRIMARY KEY",
	"path TEXT NOT NULL",
	"name TEXT NOT NULL",
	"modified INTEGER NOT NULL",
	"state TEXT NOT NULL",
	"attempts INTEGER NOT NULL",
	"retryAt INTEGER NOT NULL",
	"synopsis TEXT NOT NULL",
];

const changes = [
	"id INTEGER PRIMARY KEY",
	"at INTEGER NOT NULL",
	"label TEXT NOT NULL",
	"state TEXT NOT NULL",
	"rows TEXT NOT NULL",
];

const schema = [
	`CREATE TABLE facts (${facts.join(", ")}) STRICT`,
	"CREATE INDEX facts_session ON facts (session, position)",
	"CREATE INDEX facts_standing ON facts (who, kind, said) WHERE replacedBy IS NULL",
	"CREATE TABLE skills (name TEXT PRIMARY KEY, description TEXT NOT NULL, body TEXT NOT NULL) STRICT",
	`CREATE TABLE sessions (${sessions.join(", ")}) STRICT`,
	`CREATE TABLE changes (${changes.join(", ")}) STRICT`,
	"CREATE TABLE tombstones (session TEXT NOT NULL, words TEXT NOT NULL, at INTEGER NOT NULL) STRICT",
	"CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
	"CREATE VIRTUAL TABLE found USING fts5 (text, subject, words, tokenize = 'porter unicode61')",
	// Without it, deleted words would stay in the index until its parts are merged.
	"INSERT INTO found (found, rank) VALUES ('secure-delete', 1)",
];

export interface OpenedDatabase {
	db: Database;
	/** Where a damaged one was moved to. */
	setAside?: string;
}

/** With `check`, damage is found wherever it is. Throws a `UserError` that names the file if it cannot be used. */
export function openDatabase(path: string, check = false): OpenedDatabase {
	try {
		return { db: connect(path, check) };
	} catch (error) {
		if (!isDamage(error)) throw unusable(error, path);
		log.warn("a memory database is damaged", { path, reason: String(error) });
	}
	try {
		const moved = moveAside(path, check);
		return { db: connect(path, false), ...(moved === undefined ? {} : { setAside: moved }) };
	} catch (error) {
		throw unusable(error, path);
	}
}

function connect(path: string, check: boolean): Database {
	privateDirectory(dirname(path));
	// The file is created before SQLite would create it with the user's umask; its companions inherit this mode.
	closeSync(openSync(path, "a", 0o600));
	const db = new Database(path, { readwrite: true, strict: true });
	try {
		db.run(`PRAGMA busy_timeout = ${limits.busyMs}`);
		db.run("PRAGMA journal_mode = WAL");
		db.run("PRAGMA synchronous = NORMAL");
		// Deleted data is overwritten, not only unlinked.
		db.run("PRAGMA secure_delete = ON");
		migrate(db, path);
		if (check) checkPages(db);
		return db;
	} catch (error) {
		db.close();
		throw error;
	}
}

function checkPages(db: Database): void {
	const [row] = db.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").all();
	if (row?.quick_check !== "ok")
		throw Object.assign(new Error(row?.quick_check ?? "damaged"), { code: "SQLITE_CORRUPT" });
}

function migrate(db: Database, path: string): void {
	if (versionOf(db) === schemaVersion) return;
	db.transaction(() => {
		const version = versionOf(db);
		if (version > schemaVersion)
			throw new UserError(
				`${path} was written by a newer version of Tau. Update Tau, or move the file away.`,
			);
		if (version === schemaVersion) return;
		for (const statement of schema) db.run(statement);
		db.run(`PRAGMA user_version = ${schemaVersion}`);
	}).immediate();
}

function versionOf(db: Database): number {
	return db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}

function isDamage(error: unknown): boolean {
	return /^SQLITE_(?:CORRUPT|NOTADB)/.test(codeOf(error));
}

/** Another process may have replaced it meanwhile: then it can be opened, and nothing is moved. */
function moveAside(path: string, check: boolean): string | undefined {
	try {
		connect(path, check).close();
		return undefined;
	} catch (error) {
		if (!isDamage(error)) throw error;
	}
	const aside = `${path}.damaged-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}`;
	for (const suffix of ["", "-wal", "-shm"]) {
		try {
			renameSync(path + suffix, aside + suffix);
		} catch (error) {
			// Companions exist only while a process has the file open.
			if (suffix === "") throw error;
		}
	}
	return aside;
}

/** SQLite's messages for a full, read-only or unreachable disk do not name the file. */
export function unusable(error: unknown, path: string): UserError {
	if (error instanceof UserError) return error;
	const code = codeOf(error);
	if (code.startsWith("SQLITE_READONLY") || code === "EACCES" || code === "EROFS")
		return new UserError(`Cannot write ${path}: the file or its disk is read-only.`);
	if (code.startsWith("SQLITE_FULL") || code.startsWith("SQLITE_IOERR") || code === "ENOSPC")
		return new UserError(`Cannot write ${path}: the disk is full or failing.`);
	if (code.startsWith("SQLITE_BUSY")) return new UserError(`${path} is locked by another process.`);
	return new UserError(`Cannot use ${path}: ${error instanceof Error ? error.message : String(error)}`);
}

function codeOf(error: unknown): string {
	return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Caches the summary of each session file. If it is deleted or damaged, it is rebuilt. */
import type { Database } from "bun:sqlite";
import { closeSync, mkdirSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";

import { log, isRecord } from "@tau/utils";

import { limits } from "../limits.ts";
import type { Summary } from "./session-info.ts";

/** A summary is valid for one state of the file: another size, time or inode makes it another file. */
export interface Remembered {
	size: number;
	mtimeMs: number;
	inode: number;
	summary: Summary;
}

/** The version of the summary's format. */
const schemaVersion = 4;

export class SessionIndex implements Disposable {
	readonly #database: Database;

	private constructor(database: Database) {
		this.#database = database;
	}

	/** Returns undefined if no index can be opened: then every file is read. */
	static async open(path: string): Promise<SessionIndex | undefined> {
		// Loaded on use: most runs list nothing.
		const { Database } = await import("bun:sqlite");
		for (const isSecondTry of [false, true]) {
			try {
				return new SessionIndex(connect(Database, path));
			} catch (error) {
				log.warn("cannot open the session index", { path, reason: String(error) });
				if (isSecondTry || isBusy(error)) return undefined;
				discard(path);
			}
		}
		return undefined;
	}

	/** Returns the rows by file name. Throws if the index is damaged. */
	read(directory: string): Map<string, Remembered> {
		const rows = this.#database
			.query<{ name: string; size: number; mtime: number; inode: number; summary: string }, [string]>(
				"SELECT name, size, mtime, inode, summary FROM sessions WHERE directory = ?",
			)
			.all(directory);
		const remembered = new Map<string, Remembered>();
		for (const { name, size, mtime, inode, summary } of rows) {
			const read = summaryOf(summary);
			if (read) remembered.set(name, { size, mtimeMs: mtime, inode, summary: read });
		}
		return remembered;
	}

	/** A concurrent write of another process is equally valid; the later one wins. */
	write(directory: string, changed: ReadonlyMap<string, Remembered>, gone: Iterable<string>): void {
		const put = this.#database.query("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?)");
		const remove = this.#database.query("DELETE FROM sessions WHERE directory = ? AND name = ?");
		const all = this.#database.transaction(() => {
			for (const [name, { size, mtimeMs, inode, summary }] of changed) {
				put.run(directory, name, size, mtimeMs, inode, JSON.stringify(summary));
			}
			for (const name of gone) remove.run(directory, name);
		});
		all.immediate();
	}

	/** Removes the files that are gone, and returns how many there are; a damaged index has none. */
	prune(isGone: (directory: string, name: string) => boolean, isDryRun: boolean): number {
		try {
			const rows = this.#database
				.query<{ directory: string; name: string }, []>("SELECT directory, name FROM sessions")
				.all()
				.filter(({ directory, name }) => isGone(directory, name));
			if (!isDryRun) for (const { directory, name } of rows) this.write(directory, new Map(), [name]);
			return rows.length;
		} catch (error) {
			log.warn("cannot clean up the session index", { reason: String(error) });
			return 0;
		}
	}

	[Symbol.dispose](): void {
		this.#database.close();
	}
}

/** Other processes that have the index open continue with their file. */
export function discard(path: string): void {
	try {
		for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
	} catch (error) {
		// An index that cannot be removed cannot be opened either, and every file is read without it.
		log.debug("cannot remove the session index", { path, reason: String(error) });
	}
}

function connect(Opened: typeof Database, path: string): Database {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	// The index contains first prompts; it is created here, because SQLite would let other users read it.
	closeSync(openSync(path, "a", 0o600));
	const database = new Opened(path);
	try {
		database.run(`PRAGMA busy_timeout = ${limits.indexBusyMs}`);
		database.run("PRAGMA journal_mode = WAL");
		database.run("PRAGMA synchronous = NORMAL");
		const version = database.query<{ user_version: number }, []>("PRAGMA user_version").get();
		if (version?.user_version !== schemaVersion) createTables(database);
		return database;
	} catch (error) {
		database.close();
		throw error;
	}
}

function createTables(database: Database): void {
	const create = database.transaction(() => {
		database.run("DROP TABLE IF EXISTS sessions");
		database.run(
			`CREATE TABLE sessions (
				directory TEXT, name TEXT, size INTEGER, mtime REAL, inode INTEGER, summary TEXT,
				PRIMARY KEY (directory, name)
			) WITHOUT ROWID`,
		);
		database.run(`PRAGMA user_version = ${schemaVersion}`);
	});
	create.immediate();
}

function isBusy(error: unknown): boolean {
	return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}

function summaryOf(text: string): Summary | undefined {
	try {
		const value: unknown = JSON.parse(text);
		// This version wrote the row, or the table would have been dropped.
		return isRecord(value) ? (value as unknown as Summary) : undefined;
	} catch {
		// The row is damaged, so the file is read again.
		return undefined;
	}
}

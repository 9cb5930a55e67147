/** The index of usage: what is counted of each file, sums per hour, and the last answers and failures. */
import { Database } from "bun:sqlite";
import { closeSync, mkdirSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";

import { errorText } from "@tau/utils";

import { limits } from "../limits.ts";
import schema from "./schema.sql" with { type: "text" };

/** The version of the tables; another one is built anew. */
const schemaVersion = 2;

export interface OpenIndex extends Disposable {
	readonly database: Database;
	/** What the user should know: the index was damaged and is built anew, or cannot be stored. */
	readonly notice: string | undefined;
}

/** A damaged index is built anew; where none can be stored, it is in memory. */
export function openIndex(path: string): OpenIndex {
	let problem: string;
	try {
		return opened(connect(path), undefined);
	} catch (error) {
		problem = errorText(error);
		if (!isDamaged(error)) return inMemory(path, problem);
	}
	try {
		discardIndex(path);
		return opened(connect(path), `The statistics in ${path} were damaged (${problem}) and are built anew.`);
	} catch (error) {
		return inMemory(path, errorText(error));
	}
}

/** Processes that have it open go on with their file. */
export function discardIndex(path: string): void {
	for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

/** Whether SQLite says that the file is not a usable database. */
export function isDamaged(error: unknown): boolean {
	const code = error instanceof Error && "code" in error ? String(error.code) : "";
	return /SQLITE_(?:CORRUPT|NOTADB)/.test(code) || /malformed|not a database/.test(errorText(error));
}

function inMemory(path: string, reason: string): OpenIndex {
	const database = new Database(":memory:");
	prepare(database);
	return opened(
		database,
		`Statistics cannot be stored in ${path} (${reason}): all sessions are read each time.`,
	);
}

function opened(database: Database, notice: string | undefined): OpenIndex {
	return { database, notice, [Symbol.dispose]: () => database.close() };
}

function connect(path: string): Database {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	// It has first words of prompts; it is created here, because SQLite would let other users read it.
	closeSync(openSync(path, "a", 0o600));
	const database = new Database(path);
	try {
		database.run(`PRAGMA busy_timeout = ${limits.busyMs}`);
		database.run("PRAGMA journal_mode = WAL");
		database.run("PRAGMA synchronous = NORMAL");
		prepare(database);
		return database;
	} catch (error) {
		database.close();
		throw error;
	}
}

function prepare(database: Database): void {
	if (versionOf(database) === schemaVersion) return;
	database
		.transaction(() => {
			// Another process may have been first.
			if (versionOf(database) === schemaVersion) return;
			const old = database
				.query<{ type: string; name: string }, []>(
					"SELECT type, name FROM sqlite_schema WHERE type IN ('table', 'view')",
				)
				.all();
			for (const { type, name } of old) database.run(`DROP ${type} "${name.replaceAll('"', '""')}"`);
			database.run(schema);
			database.run(`PRAGMA user_version = ${schemaVersion}`);
		})
		.immediate();
}

function versionOf(database: Database): number | undefined {
	return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version;
}

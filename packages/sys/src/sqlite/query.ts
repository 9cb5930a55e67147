/** Queries a SQLite database in a process that is killed if the query takes too long. */
import { statSync } from "node:fs";

import { ownedEnvironment } from "../shell/index.ts";
import { limits } from "./limits.ts";

export interface DatabaseQuestion {
	/** `table` or `table:key`; absent for the list of tables. */
	selector?: string;
	sql?: string;
	/** The number of rows to skip. */
	offset: number;
	limit: number;
	cellChars: number;
	/** Counting a large table may take long. */
	counts: boolean;
}

export interface TableFacts {
	name: string;
	type: string;
	columns: string[];
	rows?: number;
}

interface RowFacts {
	columns: string[];
	rows: string[][];
	/** True if there are more rows than were requested. */
	more: boolean;
	table?: string;
	total?: number;
}

export type DatabaseAnswer =
	| { ok: true; kind: "tables"; tables: TableFacts[]; total: number }
	| ({ ok: true; kind: "rows" } & RowFacts)
	| ({ ok: true; kind: "row"; key: string } & RowFacts)
	| { ok: false; code: string; message: string; tables?: string[]; table?: string };

export interface DatabaseFile {
	path: string;
	/** Whether changes go to a file beside it first. */
	isWal: boolean;
}

export async function queryDatabase(
	database: DatabaseFile,
	question: DatabaseQuestion,
	signal: AbortSignal,
	timeoutMs: number = limits.queryMs,
): Promise<DatabaseAnswer> {
	const bounds = { busyMs: limits.readBusyMs, tables: limits.tables };
	const input = JSON.stringify({ uri: uriOf(database), ...bounds, ...question });
	const { default: program } = await import("./program.js", { with: { type: "text" } });
	await using child = Bun.spawn([process.execPath, "-e", program], {
		// A foreign `bunfig.toml` or `.env` in the working directory would affect what runs.
		cwd: "/",
		// With this variable the compiled Tau runs as Bun.
		env: ownedEnvironment({ BUN_BE_BUN: "1" }).env,
		stdin: new Blob([input]),
		stdout: "pipe",
		stderr: "ignore",
		signal,
		timeout: timeoutMs,
		maxBuffer: limits.answerBytes,
		killSignal: "SIGKILL",
	});
	const out = await child.stdout.text();
	await child.exited;
	signal.throwIfAborted();
	if (child.exitCode === 0) return JSON.parse(out) as DatabaseAnswer;
	if (out.length >= limits.answerBytes) return failure("TOO_LARGE", "The result is too large");
	return child.signalCode === "SIGKILL"
		? failure("TIMEOUT", "")
		: failure("FAILED", `the reader exited with ${child.exitCode ?? child.signalCode}`);
}

function failure(code: string, message: string): DatabaseAnswer {
	return { ok: false, code, message };
}

/**
 * Opening a database in WAL mode creates two files beside it, even for reading, so it is opened as immutable if no
 * process has it open. Otherwise these files exist already and contain the newest rows.
 */
function uriOf({ path, isWal }: DatabaseFile): string {
	const escaped = path.replaceAll("%", "%25").replaceAll("?", "%3f").replaceAll("#", "%23");
	const changes = statSync(`${path}-wal`, { throwIfNoEntry: false });
	const isAtRest = isWal && (changes?.size ?? 0) === 0;
	return `file:${escaped}?mode=ro${isAtRest ? "&immutable=1" : ""}`;
}

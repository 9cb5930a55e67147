/** Queries a SQLite database in a process that is ended when the answer takes too long. */
import { statSync } from "node:fs";

import { ownedEnvironment } from "../shell/index.ts";
import { limits } from "./limits.ts";

export interface DatabaseQuestion {
	/** `table` or `table:key`; absent for the list of tables. */
	selector?: string;
	sql?: string;
	/** Rows that are left out first. */
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
	/** There are more rows than were asked for. */
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
		// A directory with a `bunfig.toml` or an `.env` of somebody else would have a say in what runs.
		cwd: "/",
		// The compiled Tau is Bun too, when it is told so.
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
 * A database in WAL mode that nobody has open would get two files beside it by being opened, even to be read: it is
 * taken as it is then. Where somebody has it open, these files are there, and hold its newest rows.
 */
function uriOf({ path, isWal }: DatabaseFile): string {
	const escaped = path.replaceAll("%", "%25").replaceAll("?", "%3f").replaceAll("#", "%23");
	const changes = statSync(`${path}-wal`, { throwIfNoEntry: false });
	const isAtRest = isWal && (changes?.size ?? 0) === 0;
	return `file:${escaped}?mode=ro${isAtRest ? "&immutable=1" : ""}`;
}

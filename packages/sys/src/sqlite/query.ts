/** Questions about a SQLite database, their answers, and the address under which it is opened for reading. */
import { statSync } from "node:fs";

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
	/** Without links. */
	path: string;
	/** Whether changes go to a file beside it first. */
	isWal: boolean;
}

/**
 * Opening a database in WAL mode creates two files beside it, even for reading, so it is opened as immutable if no
 * process has it open. Otherwise these files exist already and contain the newest rows.
 */
export function uriOf({ path, isWal }: DatabaseFile): string {
	const escaped = path.replaceAll("%", "%25").replaceAll("?", "%3f").replaceAll("#", "%23");
	const changes = statSync(`${path}-wal`, { throwIfNoEntry: false });
	const isAtRest = isWal && (changes?.size ?? 0) === 0;
	return `file:${escaped}?mode=ro${isAtRest ? "&immutable=1" : ""}`;
}

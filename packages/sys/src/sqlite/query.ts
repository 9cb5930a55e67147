/** Questions about a SQLite database, their answers, and the address under which it is opened for reading. */
import { statSync } from "node:fs";

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

/**
 * A database in WAL mode that nobody has open would get two files beside it by being opened, even to be read: it is
 * taken as it is then. Where somebody has it open, these files are there, and hold its newest rows.
 */
export function uriOf({ path, isWal }: DatabaseFile): string {
	const escaped = path.replaceAll("%", "%25").replaceAll("?", "%3f").replaceAll("#", "%23");
	const changes = statSync(`${path}-wal`, { throwIfNoEntry: false });
	const isAtRest = isWal && (changes?.size ?? 0) === 0;
	return `file:${escaped}?mode=ro${isAtRest ? "&immutable=1" : ""}`;
}

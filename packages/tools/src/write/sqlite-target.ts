/** Tells `db.sqlite:table` and `db.sqlite:table:key` from other paths. */
import { closeSync, openSync, readSync, statSync } from "node:fs";

import type { ToolPlace } from "../tool/place.ts";

export type SqliteTarget =
	| { ok: true; database: string; absolute: string; table: string; key?: string }
	| { ok: false; reason: string };

const magic = "SQLite format 3\0";

/** A file with such a name that is no database is a plain file. */
export function sqliteTarget(path: string, place: Pick<ToolPlace, "resolve">): SqliteTarget | undefined {
	const match = /\.(?:sqlite3?|db3?)(?=[:?])/i.exec(path);
	if (!match) return undefined;
	const end = match.index + match[0].length;
	const database = path.slice(0, end);
	const absolute = place.resolve(database);
	const info = statSync(absolute, { throwIfNoEntry: false });
	// Opening a pipe would wait for somebody to write into it.
	if (info && !(info.isFile() && isDatabase(absolute))) return undefined;
	const refused = (reason: string): SqliteTarget => ({ ok: false, reason });
	if (path.includes("?", end)) return refused("Rows are written without a query: db.sqlite:table:key.");
	const [table = "", ...rest] = path.slice(end + 1).split(":");
	if (table === "") return refused("Name a table: db.sqlite:table, or db.sqlite:table:key for a row.");
	if (!info) return refused(`There is no database ${database}; write does not create one.`);
	if (rest.length === 0) return { ok: true, database, absolute, table };
	const key = rest.join(":");
	return key === ""
		? refused("The key of the row is missing.")
		: { ok: true, database, absolute, table, key };
}

/** An empty file is a database without tables. */
function isDatabase(path: string): boolean {
	const file = openSync(path, "r");
	try {
		const head = Buffer.alloc(magic.length);
		const read = readSync(file, head, 0, magic.length, 0);
		return read === 0 || head.toString("latin1") === magic;
	} finally {
		closeSync(file);
	}
}

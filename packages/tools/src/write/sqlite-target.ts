/** Parses `db.sqlite:table` and `db.sqlite:table:key`. */
import type { MachineFiles } from "@tau/sys";

import type { ToolContext } from "../tool/define-tool.ts";

export type SqliteTarget =
	| { ok: true; database: string; absolute: string; table: string; key?: string }
	| { ok: false; reason: string };

const magic = "SQLite format 3\0";

/** Undefined for a plain file. */
export async function sqliteTarget(
	path: string,
	{ machine: { files }, resolve, signal }: Pick<ToolContext, "machine" | "resolve" | "signal">,
): Promise<SqliteTarget | undefined> {
	const match = /\.(?:sqlite3?|db3?)(?=[:?])/i.exec(path);
	if (!match) return undefined;
	const end = match.index + match[0].length;
	const database = path.slice(0, end);
	const absolute = resolve(database);
	const info = await files.stat(absolute);
	// A file whose name merely looks like this is changed as what it is.
	if (await files.stat(resolve(path))) return undefined;
	const refused = (reason: string): SqliteTarget => ({ ok: false, reason });
	// Opening a pipe would block until another process writes into it.
	if (info && !(info.kind === "file" && (await isDatabase(files, absolute, signal))))
		return refused(`${database} is not a SQLite database, so it has no rows to write. Nothing was created.`);
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
async function isDatabase(files: MachineFiles, path: string, signal: AbortSignal): Promise<boolean> {
	const range = { start: 0, end: magic.length };
	const head = await files.read(path, { signal, maxBytes: magic.length, range });
	return head.length === 0 || Buffer.from(head).toString("latin1") === magic;
}

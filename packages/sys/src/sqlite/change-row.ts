/** Inserts, updates or deletes one row of a SQLite database. */
import type { Database } from "bun:sqlite";

import { isOpenAt, PathMoved } from "../walk/index.ts";
import { limits } from "./limits.ts";

type Row = Record<string, string | number | bigint | boolean | null>;

export interface RowTarget {
	readonly table: string;
	/** The key of the row; without it a row is inserted. */
	readonly key?: string;
}

export interface ChangedRow {
	/** What was done, as a sentence. */
	text: string;
	/** The number of changed rows. */
	changed: number;
}

/** `path` has no links. `content` is the row as JSON5; empty text deletes the row. Rejects with the reason. */
export async function changeRow(path: string, target: RowTarget, content: string): Promise<ChangedRow> {
	const sqlite = await import("bun:sqlite");
	using database = new sqlite.Database(path, { create: false, readwrite: true, strict: true });
	if (!isOpenAt(path)) throw new PathMoved(path);
	database.run(`PRAGMA busy_timeout = ${limits.writeBusyMs}`);
	return change(database, target, content);
}

function change(database: Database, target: RowTarget, content: string): ChangedRow {
	const { table, key } = target;
	const columns = columnsOf(database, table);
	if (key === undefined) return insert(database, table, rowOf(content, columns));
	const by = keyColumn(database, table, columns);
	if (content.trim() === "") {
		const changed = run(database, `DELETE FROM ${quote(table)} WHERE ${by} = ?`, [key]);
		return { changed, text: changed > 0 ? `Deleted row '${key}' from ${table}.` : noRow(table, key) };
	}
	const row = rowOf(content, columns);
	const names = Object.keys(row);
	if (names.length === 0) throw new Error("the object names no column to update.");
	const set = names.map((name) => `${quote(name)} = ?`).join(", ");
	const values = [...Object.values(row), key];
	const changed = run(database, `UPDATE ${quote(table)} SET ${set} WHERE ${by} = ?`, values);
	return { changed, text: changed > 0 ? `Updated row '${key}' in ${table}.` : noRow(table, key) };
}

function insert(database: Database, table: string, row: Row): ChangedRow {
	const names = Object.keys(row);
	const values = `(${names.map(quote).join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
	const rest = names.length === 0 ? "DEFAULT VALUES" : values;
	const changed = run(database, `INSERT INTO ${quote(table)} ${rest}`, Object.values(row));
	return { changed, text: `Inserted a row into ${table}.` };
}

function run(database: Database, sql: string, values: readonly Row[string][]): number {
	return database.query(sql).run(...values).changes;
}

function noRow(table: string, key: string): string {
	return `There is no row '${key}' in ${table}. Nothing changed.`;
}

interface Column {
	name: string;
	type: string;
	pk: number;
}

function columnsOf(database: Database, table: string): Column[] {
	const columns = database.query<Column, []>(`PRAGMA table_info(${quote(table)})`).all();
	if (columns.length > 0) return columns;
	const tables = database
		.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
		.all();
	throw new Error(
		`there is no table ${table}. Tables: ${tables.map(({ name }) => name).join(", ") || "none"}.`,
	);
}

/** The primary key of one column, else the row id. */
function keyColumn(database: Database, table: string, columns: readonly Column[]): string {
	const keys = columns.filter(({ pk }) => pk > 0);
	if (keys.length > 1) throw new Error(`${table} has a multi-column key. Use bash with sqlite3.`);
	if (keys[0]) return quote(keys[0].name);
	const listed = database
		.query<{ wr: number }, [string]>("SELECT wr FROM pragma_table_list WHERE name = ?")
		.get(table);
	if (listed?.wr === 1) throw new Error(`${table} has no row ids. Use bash with sqlite3.`);
	return "rowid";
}

function rowOf(content: string, columns: readonly Column[]): Row {
	const row = parse(content);
	for (const [name, value] of Object.entries(row)) {
		if (!columns.some((column) => column.name.toLowerCase() === name.toLowerCase())) {
			throw new Error(
				`there is no column ${name}. Columns: ${columns.map((column) => column.name).join(", ")}.`,
			);
		}
		if (typeof value === "object" && value !== null) {
			throw new Error(`${name} must be text, a number, true, false or null; write JSON as text.`);
		}
	}
	return row as Row;
}

function parse(content: string): Record<string, unknown> {
	let value: unknown;
	try {
		value = Bun.JSON5.parse(content);
	} catch (error) {
		throw new Error(
			`the content is not a JSON object: ${error instanceof Error ? error.message : String(error)}`,
			{
				cause: error,
			},
		);
	}
	if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
	throw new Error("the content must be a JSON object: {column: value, …}.");
}

function quote(name: string): string {
	return `"${name.replaceAll('"', '""')}"`;
}

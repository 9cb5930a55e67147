/** Answers one question about a SQLite database, in a process that is ended when it takes too long. */
import { constants, Database, type SQLQueryBindings, type Statement } from "bun:sqlite";

import { isOpenAt, PathMoved } from "../walk/held-path.ts";
import { limits } from "./limits.ts";
import type { DatabaseAnswer, DatabaseQuestion, TableFacts } from "./query.ts";

type Success = Extract<DatabaseAnswer, { ok: true }>;
type Rows = Extract<Success, { kind: "rows" }>;

/** A failure with what its message needs. */
class QuestionError extends Error {
	readonly facts: { code: string; tables?: string[]; table?: string };

	constructor(message: string, facts: QuestionError["facts"]) {
		super(message);
		this.facts = facts;
	}
}

/** `path`: of the same file, without links. */
export function answerQuestion(uri: string, path: string, question: DatabaseQuestion): DatabaseAnswer {
	try {
		const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
		using database = new Database(uri, flags);
		if (!isOpenAt(path)) throw new PathMoved(path);
		database.run(`PRAGMA busy_timeout = ${limits.readBusyMs}`);
		database.run("PRAGMA query_only = 1");
		return answerTo(database, question);
	} catch (error) {
		if (error instanceof QuestionError) return { ok: false, message: error.message, ...error.facts };
		const code = error instanceof Error && "code" in error ? String(error.code) : "";
		return { ok: false, code, message: error instanceof Error ? error.message : String(error) };
	}
}

function answerTo(database: Database, question: DatabaseQuestion): DatabaseAnswer {
	if (question.sql !== undefined) return query(database, question.sql, question);
	const tables = tablesOf(database);
	if (question.selector === undefined) return list(database, tables, question);
	const { table, key } = named(tables, question.selector);
	return key === undefined ? page(database, table, question) : row(database, table, key, question);
}

interface Table {
	name: string;
	type: string;
	withoutRowid: number;
}

function tablesOf(database: Database): Table[] {
	const listed = database.query<Table, []>(
		"SELECT name, type, wr AS withoutRowid FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' ORDER BY name",
	);
	return listed.all().filter(({ name }) => !name.startsWith("sqlite_"));
}

function list(database: Database, tables: readonly Table[], { counts }: DatabaseQuestion): DatabaseAnswer {
	const shown = tables.slice(0, limits.tables).map(({ name, type }): TableFacts => {
		const columns = columnsOf(database, name).map(
			(column) =>
				column.name +
				(column.type ? ` ${column.type}` : "") +
				(column.pk > 0 ? " PRIMARY KEY" : "") +
				(column.notnull > 0 ? " NOT NULL" : ""),
		);
		const rows = counts ? countOf(database, name) : undefined;
		return { name, type, columns, ...(rows === undefined ? {} : { rows }) };
	});
	return { ok: true, kind: "tables", tables: shown, total: tables.length };
}

interface Column {
	name: string;
	type: string;
	pk: number;
	notnull: number;
}

function columnsOf(database: Database, table: string): Column[] {
	try {
		return database.query<Column, []>(`PRAGMA table_info(${quote(table)})`).all();
	} catch {
		// A view may be broken, which is no reason not to list the others.
		return [];
	}
}

function countOf(database: Database, table: string): number | undefined {
	try {
		return database.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${quote(table)}`).get()?.rows;
	} catch {
		// The rows of a broken view cannot be counted.
		return undefined;
	}
}

/** Names may have colons in them: the longest that is a table counts. */
function named(tables: readonly Table[], selector: string): { table: Table; key: string | undefined } {
	const find = (name: string): Table | undefined =>
		tables.find((table) => table.name.toLowerCase() === name.toLowerCase());
	for (let end = selector.length; end > 0; end = selector.lastIndexOf(":", end - 1)) {
		const table = find(selector.slice(0, end));
		if (table) return { table, key: end < selector.length ? selector.slice(end + 1) : undefined };
	}
	throw new QuestionError("no such table", { code: "NO_TABLE", tables: tables.map(({ name }) => name) });
}

function page(database: Database, { name }: Table, question: DatabaseQuestion): DatabaseAnswer {
	const rows = rowsOf(database, `SELECT * FROM ${quote(name)}`, question);
	const total = question.counts ? countOf(database, name) : undefined;
	return { ...rows, table: name, ...(total === undefined ? {} : { total }) };
}

/** By the primary key of one column, else by the row id: as `write` does. */
function row(database: Database, table: Table, key: string, question: DatabaseQuestion): DatabaseAnswer {
	const { name, withoutRowid, type } = table;
	const keys = columnsOf(database, name).filter(({ pk }) => pk > 0);
	if (keys.length > 1 || (keys.length === 0 && (withoutRowid === 1 || type === "view"))) {
		throw new QuestionError("no single key", { code: "NO_KEY", table: name });
	}
	const by = keys[0] ? quote(keys[0].name) : "rowid";
	const statement = database.query(`SELECT * FROM ${quote(name)} WHERE ${by} = ?`);
	return { ...pickRows(statement, [key], question), kind: "row", table: name, key };
}

function query(database: Database, sql: string, question: DatabaseQuestion): DatabaseAnswer {
	const bare = sql.trim().replace(/;\s*$/, "");
	if (/^(?:select|with|values)\b/i.test(bare)) return rowsOf(database, bare, question);
	if (!/^(?:explain|pragma)\b/i.test(bare)) throw new QuestionError("not a query", { code: "NOT_A_QUERY" });
	return pickRows(database.query(bare), [], question);
}

/** In a query around it, so that no two columns have one name and no more rows are made than are shown. */
function rowsOf(database: Database, sql: string, question: DatabaseQuestion): Rows {
	const around = `SELECT * FROM (${sql}\n) LIMIT ${question.limit + 1} OFFSET ${question.offset}`;
	return pickRows(database.query(around), [], question);
}

function pickRows(
	statement: Statement<unknown, SQLQueryBindings[]>,
	values: SQLQueryBindings[],
	{ limit, cellChars }: DatabaseQuestion,
): Rows {
	const rows: string[][] = [];
	let more = false;
	for (const record of statement.safeIntegers(true).iterate(...values)) {
		more = rows.length >= limit;
		if (more) break;
		rows.push(Object.values(record as Record<string, unknown>).map((value) => cellText(value, cellChars)));
	}
	return { ok: true, kind: "rows", columns: statement.columnNames, rows, more };
}

function cellText(value: unknown, maxChars: number): string {
	if (value === null) return "NULL";
	if (value instanceof Uint8Array) return `<blob of ${value.length} bytes>`;
	const text = String(value);
	return text.length > maxChars ? `${text.slice(0, maxChars)}… [cut, ${text.length - maxChars} more]` : text;
}

function quote(name: string): string {
	return `"${name.replaceAll('"', '""')}"`;
}

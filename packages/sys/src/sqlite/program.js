/**
 * Reads a SQLite database in a process of its own, because nothing else can stop a query that takes too long.
 * Takes one question as JSON on its standard input and writes one answer as JSON. `ask.ts` runs it as text.
 */
import { constants, Database } from "bun:sqlite";
import { writeFileSync } from "node:fs";

const asked = JSON.parse(await Bun.stdin.text());
let answer;
try {
	const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
	using database = new Database(asked.uri, flags);
	database.run(`PRAGMA busy_timeout = ${asked.busyMs}`);
	database.run("PRAGMA query_only = 1");
	answer = { ok: true, ...answerTo(database) };
} catch (error) {
	answer = { ok: false, code: error?.code ?? "", message: error?.message ?? String(error), ...error?.facts };
}
// Its standard output is a pipe to the parent, and nothing else is written there.
writeFileSync(1, JSON.stringify(answer));

function answerTo(database) {
	if (asked.sql !== undefined) return query(database, asked.sql);
	const tables = tablesOf(database);
	if (asked.selector === undefined) return list(database, tables);
	const { table, key } = named(tables, asked.selector);
	return key === undefined ? page(database, table) : row(database, table, key);
}

function tablesOf(database) {
	const listed = database.query(
		"SELECT name, type, wr AS withoutRowid FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' ORDER BY name",
	);
	return listed.all().filter(({ name }) => !name.startsWith("sqlite_"));
}

function list(database, tables) {
	const shown = tables.slice(0, asked.tables).map(({ name, type }) => {
		const columns = columnsOf(database, name).map(
			(column) =>
				column.name +
				(column.type ? ` ${column.type}` : "") +
				(column.pk ? " PRIMARY KEY" : "") +
				(column.notnull ? " NOT NULL" : ""),
		);
		return { name, type, columns, ...(asked.counts ? { rows: countOf(database, name) } : {}) };
	});
	return { kind: "tables", tables: shown, total: tables.length };
}

/** A view may be broken, which is no reason not to list the others. */
function columnsOf(database, table) {
	try {
		return database.query(`PRAGMA table_info(${quote(table)})`).all();
	} catch {
		return [];
	}
}

function countOf(database, table) {
	try {
		return database.query(`SELECT count(*) AS rows FROM ${quote(table)}`).get().rows;
	} catch {
		return undefined;
	}
}

/** Names may have colons in them: the longest that is a table counts. */
function named(tables, selector) {
	const find = (name) => tables.find((table) => table.name.toLowerCase() === name.toLowerCase());
	for (let end = selector.length; end > 0; end = selector.lastIndexOf(":", end - 1)) {
		const table = find(selector.slice(0, end));
		if (table) return { table, key: end < selector.length ? selector.slice(end + 1) : undefined };
	}
	const names = tables.map(({ name }) => name);
	throw Object.assign(new Error("no such table"), { facts: { code: "NO_TABLE", tables: names } });
}

function page(database, { name }) {
	const found = rowsOf(database, `SELECT * FROM ${quote(name)}`);
	return { ...found, table: name, ...(asked.counts ? { total: countOf(database, name) } : {}) };
}

/** By the primary key of one column, else by the row id: as `write` does. */
function row(database, { name, withoutRowid, type }, key) {
	const keys = columnsOf(database, name).filter(({ pk }) => pk > 0);
	if (keys.length > 1 || (keys.length === 0 && (withoutRowid === 1 || type === "view"))) {
		throw Object.assign(new Error("no single key"), { facts: { code: "NO_KEY", table: name } });
	}
	const by = keys[0] ? quote(keys[0].name) : "rowid";
	const found = database.query(`SELECT * FROM ${quote(name)} WHERE ${by} = ?`);
	return { ...pickRows(found, [key]), kind: "row", table: name, key };
}

function query(database, sql) {
	const bare = sql.trim().replace(/;\s*$/, "");
	if (/^(?:select|with|values)\b/i.test(bare)) return rowsOf(database, bare);
	if (!/^(?:explain|pragma)\b/i.test(bare)) {
		throw Object.assign(new Error("not a query"), { facts: { code: "NOT_A_QUERY" } });
	}
	return pickRows(database.query(bare), []);
}

/** In a query around it, so that no two columns have one name and no more rows are made than are shown. */
function rowsOf(database, sql) {
	const around = `SELECT * FROM (${sql}\n) LIMIT ${asked.limit + 1} OFFSET ${asked.offset}`;
	return pickRows(database.query(around), []);
}

function pickRows(statement, values) {
	const rows = [];
	let more = false;
	for (const found of statement.safeIntegers(true).iterate(...values)) {
		more = rows.length >= asked.limit;
		if (more) break;
		rows.push(Object.values(found).map(cell));
	}
	return { kind: "rows", columns: statement.columnNames, rows, more };
}

function cell(value) {
	if (value === null) return "NULL";
	if (value instanceof Uint8Array) return `<blob of ${value.length} bytes>`;
	const text = String(value);
	return text.length > asked.cellChars
		? `${text.slice(0, asked.cellChars)}… [cut, ${text.length - asked.cellChars} more]`
		: text;
}

function quote(name) {
	return `"${name.replaceAll('"', '""')}"`;
}

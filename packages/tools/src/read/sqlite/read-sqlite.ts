/** Shows a SQLite database: its tables, the rows of one, one row, or what a query finds. */
import type { AgentToolResult } from "@tau/agent";
import { queryDatabase, type DatabaseAnswer, type DatabaseQuestion, type TableFacts } from "@tau/sys";
import { nearest, stripControls } from "@tau/utils";
import { notLocal } from "../../files/not-local.ts";
import type { ToolContext } from "../../tool/define-tool.ts";
import { errorResult, textResult } from "../../tool/result.ts";
import type { ReadRequest } from "../read-request.ts";
import { limits } from "../limits.ts";
import { linesOf, showText } from "../show-text.ts";
import type { Source } from "../source.ts";

type Rows = Extract<DatabaseAnswer, { kind: "rows" | "row" }>;
type Failure = Extract<DatabaseAnswer, { ok: false }>;

const magic = "SQLite format 3\0";

export function isSqlite(head: Uint8Array): boolean {
	return Buffer.from(head.subarray(0, magic.length)).toString("latin1") === magic;
}

/** `offset` and `limit` count rows of tables and queries, and lines of everything else. */
export async function readSqlite(
	{ shown, head }: Source,
	path: string,
	request: ReadRequest,
	{ machine, signal }: Pick<ToolContext, "machine" | "signal">,
): Promise<AgentToolResult> {
	const local = machine.files.localPath(await machine.files.realpath(path).catch(() => path));
	if (local === undefined) return errorResult(notLocal(shown, machine));
	const question = questionOf(request);
	const database = { path: local, isWal: head[18] === 2 };
	let answer = await queryDatabase(database, question, signal);
	// Counting may be all that took so long.
	if (!answer.ok && answer.code === "TIMEOUT" && question.sql === undefined) {
		answer = await queryDatabase(database, { ...question, counts: false }, signal);
	}
	if (!answer.ok) return errorResult(failed(shown, answer, request));
	if (answer.kind === "tables") return showTables(shown, answer.tables, answer.total, request);
	return answer.kind === "row" ? showRow(shown, answer, request) : showRows(shown, answer, question);
}

function questionOf({ selector, query, offset, limit }: ReadRequest): DatabaseQuestion {
	const isRow = selector?.includes(":") ?? false;
	return {
		...(query === undefined ? {} : { sql: sqlOf(query) }),
		...(selector === undefined || selector === "" ? {} : { selector }),
		offset: (offset ?? 1) - 1,
		limit: Math.min(limit ?? limits.rows, limits.rowsMax),
		cellChars: isRow ? limits.rowCellChars : limits.cellChars,
		counts: true,
	};
}

/** As it is, unless it was written as in an address: SQL without any white space is hardly SQL. */
function sqlOf(query: string): string {
	if (/\s/.test(query.trim())) return query;
	const spaced = query.replaceAll("+", " ");
	try {
		return decodeURIComponent(spaced);
	} catch {
		// A lone percent sign means that the text is not an address.
		return query;
	}
}

function showTables(
	shown: string,
	tables: readonly TableFacts[],
	total: number,
	request: ReadRequest,
): AgentToolResult {
	if (total === 0) return textResult(`${shown} is a database without tables.`, { tables: 0 });
	const lines = tables.map(({ name, type, columns, rows }) => {
		const count = rows === undefined ? "" : ` (${rows} ${rows === 1 ? "row" : "rows"})`;
		return `${type === "table" ? "" : `${type} `}${name}${count}: ${columns.join(", ")}`;
	});
	const notes = [
		...(tables.length < total ? [`${tables.length} of ${total} tables`] : []),
		`rows: ${shown}:table, one row: ${shown}:table:key, SQL: ${shown}?q=SELECT …`,
	];
	const details = { tables: total, truncated: tables.length < total };
	return showText(lines.join("\n"), linesOf(request), { shown, style: "plain", notes, details });
}

function showRows(
	shown: string,
	{ columns, rows, more, table, total }: Rows,
	{ offset }: DatabaseQuestion,
): AgentToolResult {
	const what = table === undefined ? shown : `${shown}:${table}`;
	const counted = total === undefined ? {} : { total };
	if (rows.length === 0) {
		const none = offset === 0 ? "has no rows" : `has no rows from ${offset + 1} on`;
		const text = `${table === undefined ? "The result" : what} ${none}. Columns: ${columns.join(", ")}`;
		return { ...textResult(text, { columns, rows: 0, ...counted }), useless: true };
	}
	const lines = linesThatFit([columns, ...rows].map((cells) => cells.map(flat).join(" | ")));
	const last = offset + lines.length - 1;
	const isCut = more || lines.length <= rows.length;
	const of = total === undefined ? "" : ` of ${total}`;
	const rest = isCut ? `\n[rows ${offset + 1}-${last}${of}; continue with offset ${last + 1}]` : "";
	return textResult(lines.join("\n") + rest, {
		columns,
		rows: lines.length - 1,
		...counted,
		truncated: isCut,
	});
}

/** Always the names of the columns and one row. */
function linesThatFit(lines: readonly string[]): string[] {
	let bytes = 0;
	const end = lines.findIndex((line, index) => {
		bytes += Buffer.byteLength(line) + 1;
		return bytes > limits.bytes && index > 1;
	});
	return lines.slice(0, end < 0 ? lines.length : end);
}

function showRow(
	shown: string,
	{ columns, rows, table = "", key }: Extract<Rows, { kind: "row" }>,
	request: ReadRequest,
): AgentToolResult {
	const [row] = rows;
	if (!row) return errorResult(`There is no row '${key}' in ${shown}:${table}.`);
	const text = columns.map((column, index) => `${column}: ${row[index] ?? ""}`).join("\n");
	const named = `${shown}:${table}:${key}`;
	return showText(text, linesOf(request), { shown: named, style: "plain", details: { columns } });
}

/** Each row is one line, and a bar occurs only between two cells. */
function flat(cell: string): string {
	return stripControls(cell.replaceAll("\r", "").replaceAll("\n", "\\n").replaceAll("|", "\\|"), {
		newline: false,
		tab: false,
	});
}

function failed(
	shown: string,
	{ code, message, tables, table }: Failure,
	{ selector = "" }: ReadRequest,
): string {
	switch (code) {
		case "NO_TABLE": {
			const [near] = nearest(selector.split(":")[0] ?? "", tables ?? [], 1);
			const hint = near === undefined ? "" : ` Did you mean ${near}?`;
			return `${shown} has no table ${selector}.${hint} Tables: ${tables?.join(", ") || "none"}.`;
		}
		case "NO_KEY":
			return `${table} has no single-column key. Use ${shown}?q=SELECT … WHERE …`;
		case "NOT_A_QUERY":
			return "Only queries are allowed here: SELECT, WITH, VALUES, EXPLAIN or PRAGMA. Change data with write or bash.";
		case "TIMEOUT":
			return `${shown}: ${message}. Ask for less, or add an index.`;
		case "TOO_LARGE":
			return `${shown}: ${message}. Select fewer rows and columns.`;
		case "SQLITE_BUSY":
		case "SQLITE_LOCKED":
			return `${shown} is locked by another program. Try again later, or read a copy of it.`;
		case "SQLITE_CORRUPT":
		case "SQLITE_NOTADB":
			return `${shown} is damaged (${message}). sqlite3 with .recover may restore the rest.`;
		default:
			return `${shown}: ${message}`;
	}
}

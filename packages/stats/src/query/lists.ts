/** Lists of single things: the last answers, the last failures, and sessions. */
import type { Database } from "bun:sqlite";

import { sources } from "../event.ts";
import { limits } from "../limits.ts";
import { nanosPerDollar } from "../lines/usage-line.ts";
import type { Range } from "./range.ts";

export interface RecentRequest {
	/** Names it in `/api/request/<id>`. */
	id: string;
	timestamp: number;
	provider: string;
	model: string;
	folder: string;
	role: string;
	agent: string;
	source: string;
	sessionFile: string | null;
	sessionId: string;
	entryId: string | null;
	usage: { input: number; output: number; cacheRead: number; cacheWrite: number };
	/** Null if the model has no price. */
	cost: number | null;
	isEstimate: boolean;
	duration: number | null;
	ttft: number | null;
	failure: string | null;
}

export interface RecentError {
	id: string;
	timestamp: number;
	provider: string;
	model: string;
	folder: string;
	sessionFile: string | null;
	entryId: string | null;
	failure: string;
	errorMessage: string | null;
}

export interface SessionRow {
	id: string;
	source: string;
	folder: string;
	agent: string;
	title: string | null;
	file: string | null;
	first: number;
	last: number;
	requests: number;
	errors: number;
	tokens: number;
	cost: number;
	estimatedCost: number;
	unpricedRequests: number;
	toolCalls: number;
}

type Cells = Record<string, string | number | null>;

/** Newest first. */
export function recentRequests(database: Database, range: Range, limit: number): RecentRequest[] {
	return requests(database, "at BETWEEN ? AND ? ORDER BY at DESC LIMIT ?", [
		range.from,
		range.to,
		Math.min(limit, limits.recentRows),
	]);
}

export function requestOf(database: Database, id: string): RecentRequest | undefined {
	const key = /^\d{1,16}$/.test(id) ? Number(id) : undefined;
	return key === undefined ? undefined : requests(database, "key = ?", [key])[0];
}

function requests(database: Database, where: string, values: number[]): RecentRequest[] {
	return database
		.query<Cells, number[]>(`SELECT * FROM request_rows WHERE ${where}`)
		.all(...values)
		.map((row) => ({
			id: String(row.key),
			timestamp: Number(row.at),
			provider: String(row.provider),
			model: String(row.model),
			folder: String(row.project),
			role: String(row.role),
			agent: String(row.agent),
			source: sources[Number(row.source)] ?? "",
			sessionFile: textOf(row.path),
			sessionId: textOf(row.sessionId) ?? "",
			entryId: textOf(row.entry),
			usage: {
				input: Number(row.input),
				output: Number(row.output),
				cacheRead: Number(row.cacheRead),
				cacheWrite: Number(row.cacheWrite),
			},
			cost: typeof row.cost === "number" ? row.cost / nanosPerDollar : null,
			isEstimate: row.estimate === 1,
			duration: Number(row.ms) || null,
			ttft: Number(row.ttft) || null,
			failure: textOf(row.failure),
		}));
}

/** Newest first. */
export function recentErrors(database: Database, range: Range, limit: number): RecentError[] {
	return database
		.query<Cells, number[]>("SELECT * FROM error_rows WHERE at BETWEEN ? AND ? ORDER BY at DESC LIMIT ?")
		.all(range.from, range.to, Math.min(limit, limits.errorRows))
		.map((row) => ({
			id: String(row.key),
			timestamp: Number(row.at),
			provider: String(row.provider),
			model: String(row.model),
			folder: String(row.project),
			sessionFile: textOf(row.path),
			entryId: textOf(row.entry),
			failure: String(row.failure),
			errorMessage: textOf(row.message),
		}));
}

/** Sessions whose title, directory or id has the words, the last one first. */
export function sessionList(database: Database, search: string, limit: number): SessionRow[] {
	const matches = ["title", "folder", "id"].map((name) => `${name} LIKE ? ESCAPE '\\'`).join(" OR ");
	const like = `%${search.replaceAll(/[\\%_]/g, "\\$&")}%`;
	return database
		.query<Cells, [string, string, string, number]>(
			`SELECT * FROM session_rows WHERE answers > 0 AND (${matches}) ORDER BY last DESC LIMIT ?`,
		)
		.all(like, like, like, Math.min(limit, limits.listedSessions))
		.map((row) => ({
			id: String(row.id),
			source: sources[Number(row.source)] ?? "",
			folder: String(row.folder),
			agent: String(row.agentName),
			title: textOf(row.title),
			file: textOf(row.path),
			first: Number(row.first),
			last: Number(row.last),
			requests: Number(row.answers),
			errors: Number(row.failed),
			tokens: Number(row.tokens),
			cost: Number(row.cost) / nanosPerDollar,
			estimatedCost: Number(row.estimate) / nanosPerDollar,
			unpricedRequests: Number(row.unpriced),
			toolCalls: Number(row.tools),
		}));
}

function textOf(value: unknown): string | null {
	return typeof value === "string" && value !== "" ? value : null;
}

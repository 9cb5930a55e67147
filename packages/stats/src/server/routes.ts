/** The data of the dashboard over HTTP, with the addresses and fields of omp-stats. Who may ask is decided by the server. */
import type { Database } from "bun:sqlite";
import { resolve, sep } from "node:path";

import { errorText, log } from "@tau/utils";

import { activity } from "../query/activity.ts";
import {
	agentStats,
	aggregated,
	dashboardStats,
	folderStats,
	modelSeries,
	modelStats,
	timeSeries,
	unitOf,
} from "../query/dashboard.ts";
import { recentErrors, recentRequests, requestOf, sessionList } from "../query/lists.ts";
import { providerStats, type ProviderWindow } from "../query/providers.ts";
import { rangeOf, type Range } from "../query/range.ts";
import { divide, readUsage, sumsBy, total } from "../query/sums.ts";
import { toolSeries, toolStats } from "../query/tools.ts";
import { traceEntry, traceOf } from "../query/trace.ts";
import { csvOf } from "../report/csv.ts";
import { divisions, tableBy } from "../report/table.ts";
import type { Stats } from "../stats.ts";
import type { SyncResult } from "../sync.ts";

export interface RouteOptions {
	/** Opened for each request: another process may have built the index anew. */
	open(): Stats;
	/** Scans, somewhere where it holds up nothing. */
	sync(): Promise<SyncResult>;
	/** What is left of the user's subscriptions. */
	windows?(): Promise<readonly ProviderWindow[]>;
}

/** Says that a dashboard of Tau runs here: a second start uses it. The number grows with what the page needs. */
const identity = { "x-tau-stats-dashboard": "1" } as const;

class Refused extends Error {
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.status = status;
	}
}

type Answer = (request: { database: Database; range: Range; url: URL }) => unknown;

/** Below `/api/stats`; they read the index alone. */
const reads: Readonly<Record<string, Answer>> = {
	"": ({ database, range }) => dashboardStats(database, range),
	"/overview": ({ database, range }) => {
		const rows = readUsage(database, range, unitOf(range));
		return { overall: aggregated(total(rows)), timeSeries: timeSeries(rows), byAgentType: agentStats(rows) };
	},
	"/models": ({ database, range }) => {
		const rows = readUsage(database, range, unitOf(range));
		return { byModel: modelStats(rows), ...modelSeries(rows) };
	},
	"/folders": ({ database, range }) => folderStats(readUsage(database, range)),
	"/timeseries": ({ database, range }) => timeSeries(readUsage(database, range, unitOf(range))),
	"/costs": ({ database, range }) => {
		const rows = readUsage(database, range, unitOf(range));
		return { overall: aggregated(total(rows)), costSeries: modelSeries(rows).costSeries };
	},
	"/tools": ({ database, range }) => ({
		byTool: toolStats(database, range),
		series: toolSeries(database, range),
	}),
	"/agents": ({ database, range }) =>
		sumsBy(database, range, ["agent", "role"]).map((row) => ({
			agent: row.agent,
			role: row.role,
			...aggregated(row),
		})),
	"/recent": ({ database, range, url }) => recentRequests(database, range, limitIn(url, 100)),
	"/errors": ({ database, range, url }) => recentErrors(database, range, limitIn(url, 100)),
	"/behavior": ({ database, range }) => activity(database, range),
	"/gain": ({ database, range }) => gain(database, range),
};

/** Answers everything below `/api/stats`, `/api/sync`, `/api/request`, `/api/sessions` and `/api/session`. */
export function statsRoutes({ open, sync, windows }: RouteOptions): (request: Request) => Promise<Response> {
	return async (request) => {
		const url = new URL(request.url);
		try {
			if (request.method !== "GET") throw new Refused(405, `${request.method} is not possible here.`);
			// On the server of `tau web`, `/api/sessions` is something else: everything is below `/api/stats` there.
			const path = url.pathname.replace(
				/^\/api\/stats(?=\/(?:sync|sessions|session|request)(?:\/|$))/,
				"/api",
			);
			if (path === "/api/sync") return json(await sync());
			const left = path === "/api/stats/providers" ? ((await windows?.()) ?? []) : [];
			using stats = open();
			if (path === "/api/stats/providers") return json(providerStats(stats.database, rangeIn(url), left));
			if (path === "/api/stats/csv") return csv(stats.database, url);
			return json(answer(stats, path, url));
		} catch (error) {
			if (error instanceof Refused) return json({ error: error.message }, error.status);
			log.warn("statistics could not be read", { path: url.pathname, reason: errorText(error) });
			return json({ error: errorText(error) }, 500);
		}
	};
}

function answer(stats: Stats, path: string, url: URL): unknown {
	const { database } = stats;
	const read = path.startsWith("/api/stats") ? reads[path.slice("/api/stats".length)] : undefined;
	if (read) return read({ database, range: rangeIn(url), url });
	const { searchParams } = url;
	if (path === "/api/sessions") return sessionList(database, searchParams.get("q") ?? "", limitIn(url, 100));
	if (path === "/api/session/trace") return opened(() => traceOf(fileIn(stats, url, "file required")));
	if (path === "/api/session/entry") {
		const id = searchParams.get("id") ?? "";
		const needed = "file and id required";
		if (id === "") throw new Refused(400, needed);
		const file = fileIn(stats, url, needed);
		return opened(() => traceEntry(file, id)) ?? refuse(404, "entry not found");
	}
	const [, id] = /^\/api\/request\/(\d+)$/.exec(path) ?? [];
	if (id !== undefined) return requestOf(database, id) ?? refuse(404, "request not found");
	return refuse(404, "There is no such address.");
}

function rangeIn({ searchParams }: URL): Range {
	const text = searchParams.get("range") ?? "";
	return rangeOf(text) ?? refuse(400, `range ${text}: write 24h, 7d, 30d, today or all.`);
}

function limitIn({ searchParams }: URL, usual: number): number {
	const text = searchParams.get("limit") ?? "";
	return /^\d{1,5}$/.test(text) ? Number(text) : usual;
}

/** Only a file that the index knows as a session: no other path is opened, however it is written. */
function fileIn({ database, roots }: Stats, { searchParams }: URL, needed: string): string {
	const path = searchParams.get("file") ?? "";
	if (path === "") throw new Refused(400, needed);
	const row = database
		.query<{ path: string }, [string]>("SELECT path FROM files WHERE path = ? AND session IS NOT NULL")
		.get(path);
	if (row) return row.path;
	const isInside = roots.some((root) => resolve(path).startsWith(`${root.path}${sep}`));
	return isInside
		? refuse(404, "session not found")
		: refuse(400, "The file is not in a directory of sessions.");
}

/** A file that was removed since it was indexed. */
function opened<T>(read: () => T): T {
	try {
		return read();
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT")
			return refuse(404, "session not found");
		throw error;
	}
}

/** What caches saved, in all and by day. */
function gain(database: Database, range: Range) {
	const rows = readUsage(database, range);
	const sums = total(rows);
	const { cacheSavings, cacheMissCost, cacheRate, totalCacheReadTokens } = aggregated(sums);
	return {
		overall: {
			savedTokens: totalCacheReadTokens,
			savedCost: sums.uncached - sums.costInput - sums.costRead - sums.costWrite,
			savings: cacheSavings,
			cacheRate,
			missedCost: cacheMissCost,
		},
		byModel: divide(rows, ["provider", "model"]).map((row) => ({
			provider: row.provider,
			model: row.model,
			cacheRate: aggregated(row).cacheRate,
			savedCost: row.uncached - row.costInput - row.costRead - row.costWrite,
			missedCost: row.missed,
		})),
	};
}

function csv(database: Database, url: URL): Response {
	const by = divisions.find((name) => name === (url.searchParams.get("by") ?? "day"));
	if (!by) throw new Refused(400, `by: write ${divisions.join(", ")}.`);
	return new Response(csvOf(tableBy(database, rangeIn(url), by)), {
		headers: {
			...identity,
			"content-type": "text/csv; charset=utf-8",
			"content-disposition": `attachment; filename="tau-usage-by-${by}.csv"`,
			"cache-control": "no-store",
			"x-content-type-options": "nosniff",
		},
	});
}

function refuse(status: number, message: string): never {
	throw new Refused(status, message);
}

function json(value: unknown, status = 200): Response {
	return new Response(JSON.stringify(value), {
		status,
		headers: {
			...identity,
			"content-type": "application/json",
			"cache-control": "no-store",
			"x-content-type-options": "nosniff",
			"content-security-policy": "default-src 'none'",
		},
	});
}

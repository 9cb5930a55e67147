/** What the broker remembers of usage: the limits of subscriptions over time, and what its clients have used. */
import { Database } from "bun:sqlite";
import { closeSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";

import type { UsageReport } from "@tau/ai/broker";
import { errorCode, log, privateDirectory } from "@tau/utils";

import { limits } from "./limits.ts";

/** One line of a client's report. */
export interface Observed {
	at: number;
	provider: string;
	model: string;
	requests: number;
	inputTokens: number;
	outputTokens: number;
	cacheReadTokens: number;
	cacheWriteTokens: number;
	costUsd: number;
}

export interface ObservingClient {
	installId: string;
	hostname: string;
	app: string;
}

export interface HistoryEntry {
	recordedAt: number;
	provider: string;
	accountKey: string;
	limitId: string;
	label: string;
	usedFraction: number;
	status: string;
	resetsAt?: number;
}

export interface ClientSummary {
	installId: string;
	hostname?: string;
	firstSeen: number;
	lastSeen: number;
	providers: (Omit<Observed, "at" | "model"> & { app?: string })[];
}

const hourMs = 60 * 60_000;

const historyColumns = [
	"recorded_at INTEGER NOT NULL",
	"provider TEXT NOT NULL",
	"account TEXT NOT NULL",
	"limit_id TEXT NOT NULL",
	"label TEXT NOT NULL",
	"used REAL NOT NULL",
	"status TEXT NOT NULL",
	"resets_at INTEGER",
];

const counts = ["requests", "input", "output", "cache_read", "cache_write"];

const observedColumns = [
	...["install", "hostname", "app", "provider", "model"].map((name) => `${name} TEXT NOT NULL`),
	...["hour", "first_at", "last_at", ...counts].map((name) => `${name} INTEGER NOT NULL`),
	"cost REAL NOT NULL",
	"PRIMARY KEY (install, app, provider, model, hour)",
];

const schema = [
	`CREATE TABLE IF NOT EXISTS history (${historyColumns.join(", ")}) STRICT`,
	"CREATE INDEX IF NOT EXISTS history_time ON history (recorded_at)",
	`CREATE TABLE IF NOT EXISTS observed (${observedColumns.join(", ")}) STRICT, WITHOUT ROWID`,
	"CREATE INDEX IF NOT EXISTS observed_hour ON observed (hour)",
];

/** The values from `requests` on are the eighth and following ones. */
const added = [...counts, "cost"].map((name, index) => `${name} = ${name} + ?${index + 8}`);

const upsert = [
	"INSERT INTO observed VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
	"ON CONFLICT DO UPDATE SET hostname = ?2, first_at = min(first_at, ?7), last_at = max(last_at, ?7)",
].join(" ");

/** The columns under the names of an answer. */
const historyFields = [
	"recorded_at AS recordedAt",
	"provider",
	"account AS accountKey",
	"limit_id AS limitId",
	"label",
	"used AS usedFraction",
	"status",
	"resets_at AS resetsAt",
].join(", ");
const summedFields = [
	"requests",
	"input AS inputTokens",
	"output AS outputTokens",
	"cache_read AS cacheReadTokens",
	"cache_write AS cacheWriteTokens",
	"cost AS costUsd",
].map((field) => `sum(${field.split(" ")[0]}) AS ${field.split(" ").at(-1)}`);

export class UsageRecords implements Disposable {
	readonly #db: Database;

	/** A damaged file is moved aside: nothing in it is needed to lend credentials. */
	constructor(path: string) {
		try {
			this.#db = open(path);
		} catch (error) {
			if (!/^SQLITE_(?:CORRUPT|NOTADB)/.test(errorCode(error) ?? "")) throw error;
			log.warn("the record of usage was damaged and is begun anew", { path });
			renameSync(path, `${path}.damaged`);
			this.#db = open(path);
		}
	}

	record({ provider, fetchedAt, limits: of, metadata }: UsageReport): void {
		const insert = this.#db.query("INSERT INTO history VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
		this.#db.transaction(() => {
			for (const { id, label, window, amount, status } of of) {
				const [account, resetsAt] = [metadata?.email ?? "", window.resetsAt ?? null];
				insert.run(fetchedAt, provider, account, id, label, amount.usedFraction, status, resetsAt);
			}
			this.#db.query("DELETE FROM history WHERE recorded_at < ?1").run(fetchedAt - limits.historyMs);
		})();
	}

	/** Oldest first; of more than an answer holds, the newest. */
	history(since: number, provider: string | undefined): HistoryEntry[] {
		const sql = `SELECT ${historyFields} FROM history WHERE recorded_at >= ?1 AND (?2 IS NULL OR provider = ?2)
			ORDER BY recorded_at DESC, rowid DESC LIMIT ?3`;
		return this.#db
			.query<Omit<HistoryEntry, "resetsAt"> & { resetsAt: number | null }, [number, string | null, number]>(
				sql,
			)
			.all(since, provider ?? null, limits.historyRows)
			.toReversed()
			.map(({ resetsAt, ...entry }) => ({ ...entry, ...(resetsAt === null ? {} : { resetsAt }) }));
	}

	/** Summed by the hour, so that the file grows with the hours and not with the requests. */
	observe({ installId, hostname, app }: ObservingClient, entries: readonly Observed[], now: number): void {
		const insert = this.#db.query(`${upsert}, ${added.join(", ")}`);
		this.#db.transaction(() => {
			for (const { at, provider, model, requests, costUsd, ...tokens } of entries) {
				const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = tokens;
				const used = [requests, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd];
				insert.run(installId, hostname, app, provider, model, Math.floor(at / hourMs), at, ...used);
			}
			const oldest = Math.floor((now - limits.historyMs) / hourMs);
			this.#db.query("DELETE FROM observed WHERE hour < ?1").run(oldest);
		})();
	}

	clients(since: number): ClientSummary[] {
		const sql = [
			"SELECT install, max(hostname) AS hostname, min(first_at) AS first, max(last_at) AS last, app, provider,",
			`${summedFields.join(", ")} FROM observed WHERE hour >= ?1`,
			"GROUP BY install, app, provider ORDER BY install, app, provider LIMIT ?2",
		].join(" ");
		const summaries = new Map<string, ClientSummary>();
		const rows = this.#db
			.query<ClientRow, [number, number]>(sql)
			.all(Math.floor(since / hourMs), limits.historyRows);
		for (const { install, hostname, first, last, app, ...used } of rows) {
			const summary = summaries.getOrInsertComputed(install, () => ({
				installId: install,
				...(hostname === "" ? {} : { hostname }),
				firstSeen: first,
				lastSeen: last,
				providers: [],
			}));
			summary.firstSeen = Math.min(summary.firstSeen, first);
			summary.lastSeen = Math.max(summary.lastSeen, last);
			summary.providers.push({ ...(app === "" ? {} : { app }), ...used });
		}
		return [...summaries.values()];
	}

	[Symbol.dispose](): void {
		this.#db.close();
	}
}

interface ClientRow extends Omit<Observed, "at" | "model"> {
	install: string;
	hostname: string;
	first: number;
	last: number;
	app: string;
}

function open(path: string): Database {
	privateDirectory(dirname(path));
	closeSync(openSync(path, "a", 0o600));
	const db = new Database(path, { readwrite: true, strict: true });
	try {
		db.run("PRAGMA busy_timeout = 5000");
		db.run("PRAGMA journal_mode = WAL");
		for (const statement of schema) db.run(statement);
		return db;
	} catch (error) {
		db.close();
		throw error;
	}
}

/** Tasks of one machine, in a SQLite file that its workers and commands open: nothing has to be installed or run. */
import { Database, type SQLQueryBindings } from "bun:sqlite";
import { chmodSync, closeSync, openSync } from "node:fs";
import { dirname } from "node:path";

import { privateDirectory, shortId } from "@tau/utils";

import { limits } from "../limits.ts";
import type { LogLine, Progress, Task, TaskMessage, TaskSpec, TaskState } from "../task.ts";
import { Changes } from "./changes.ts";
import { nextReady, schema, toTask, type Row } from "./sqlite-schema.ts";
import {
	checkFormat,
	storeFormat,
	type AddOptions,
	type Ending,
	type Lease,
	type LogPart,
	type ResultFiles,
	type TaskStore,
	type WorkerFacts,
} from "./store.ts";

export interface SqliteOptions {
	readonly path: string;
	readonly leaseMs?: number | undefined;
	/** 0 for any number. */
	readonly perMinute?: number | undefined;
	/** For tests: a machine whose clock is wrong. */
	readonly now?: () => number;
}

const pragmas = `PRAGMA busy_timeout = ${limits.busyMs}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;`;
const noProgress: Progress = { cost: 0, questions: [] };
const over = "state IN ('done', 'failed', 'stopped')";

export class SqliteStore implements TaskStore {
	readonly #database: Database;
	readonly #changes: Changes;
	readonly #now: () => number;
	readonly leaseMs: number;
	readonly #perMinute: number;

	/** Throws when the file cannot be used. */
	constructor({ path, leaseMs = limits.leaseMs, perMinute = 0, now = Date.now }: SqliteOptions) {
		this.#now = now;
		this.#perMinute = perMinute;
		this.leaseMs = leaseMs;
		privateDirectory(dirname(path));
		// Created before SQLite does, which would let others read it.
		closeSync(openSync(path, "a", 0o600));
		chmodSync(path, 0o600);
		this.#database = new Database(path, { create: true });
		this.#database.exec(pragmas);
		this.#checkFormat();
		this.#database.exec(`${schema} PRAGMA user_version = ${storeFormat};`);
		this.#changes = new Changes(`${path}.changed`);
	}

	async add(specs: readonly TaskSpec[], { runAt, bundle }: AddOptions = {}): Promise<Task[]> {
		const ids = this.#write(() => {
			const now = this.#now();
			this.#run(`DELETE FROM tasks WHERE ${over} AND ended_at < ?`, now - limits.keptMs);
			return specs.map((spec) => this.#insert(spec, { runAt: runAt ?? now, bundle }, now));
		});
		return ids.flatMap((id) => this.#task(id) ?? []);
	}

	async list(states?: readonly TaskState[]): Promise<Task[]> {
		if (!states) return this.#rows("SELECT * FROM tasks ORDER BY number").map(toTask);
		const named = "SELECT * FROM tasks WHERE state IN (SELECT value FROM json_each(?)) ORDER BY number";
		return this.#rows(named, JSON.stringify(states)).map(toTask);
	}

	async get(id: string): Promise<Task | undefined> {
		return this.#task(id);
	}

	async claim({ id: worker, labels }: WorkerFacts): Promise<Lease | undefined> {
		const since = performance.now();
		this.#checkFormat();
		// Most looks find nothing, and need no lock.
		if (this.#rows(nextReady, this.#now(), JSON.stringify(labels)).length === 0) return undefined;
		const task = this.#write(() => {
			for (;;) {
				const now = this.#now();
				if (this.#isLimited(now)) return undefined;
				const [row] = this.#rows(nextReady, now, JSON.stringify(labels));
				if (!row) return undefined;
				const losses = row.losses + (row.state === "running" ? 1 : 0);
				if (losses < limits.losses) {
					this.#run(
						"UPDATE tasks SET state = 'running', lease = lease + 1, lease_until = ?, worker = ?, losses = ?, started_at = ifnull(started_at, ?) WHERE id = ?",
						now + this.leaseMs,
						worker,
						losses,
						now,
						row.id,
					);
					return this.#task(row.id);
				}
				const problem = `Its worker was lost ${losses} times.`;
				this.#end(row.id, "failed", { losses, problem });
			}
		});
		return task && { task, number: task.lease, since };
	}

	/** Whether enough tasks have begun within a minute. */
	#isLimited(now: number): boolean {
		if (this.#perMinute === 0) return false;
		const begun = this.#database.query<{ n: number }, [number]>(
			"SELECT count(*) AS n FROM tasks WHERE started_at > ?",
		);
		return (begun.get(now - limits.rateMs)?.n ?? 0) >= this.#perMinute;
	}

	async renew(lease: Lease): Promise<Lease | undefined> {
		const since = performance.now();
		// Nobody has to know: `running` with a number is what tells a lease that is held.
		const renewed = this.#run(
			"UPDATE tasks SET lease_until = ? WHERE id = ? AND state = 'running' AND lease = ?",
			this.#now() + this.leaseMs,
			lease.task.id,
			lease.number,
		);
		return renewed > 0 ? { ...lease, since } : undefined;
	}

	async append(lease: Lease, { after, lines, patch }: LogPart): Promise<boolean> {
		const { id } = lease.task;
		const last = this.#database.query<{ seq: number }, [string]>(
			"SELECT ifnull(max(seq), 0) AS seq FROM log WHERE task = ?",
		);
		const insert = this.#database.query("INSERT INTO log VALUES (?, ?, ?, ?)");
		return this.#fenced(lease, () => {
			const stored = last.get(id)?.seq ?? 0;
			for (const [at, line] of lines.entries())
				if (after + at >= stored) insert.run(id, after + at + 1, lease.number, line);
			if (patch) this.#keep(id, "patch", patch);
		});
	}

	async report(lease: Lease, progress: Progress): Promise<boolean> {
		return this.#fenced(lease, () =>
			this.#run("UPDATE tasks SET progress = ? WHERE id = ?", JSON.stringify(progress), lease.task.id),
		);
	}

	async finish(lease: Lease, ending: Ending): Promise<boolean> {
		const { id } = lease.task;
		return this.#fenced(lease, () => {
			if (ending.kind === "done") {
				for (const kind of ["out", "cassette"] as const) {
					const content = ending[kind];
					if (content) this.#keep(id, kind, content);
				}
				this.#end(id, "done", { result: JSON.stringify(ending.result), problem: null });
			} else if (ending.kind === "failed" && ending.retryAt === undefined) {
				this.#end(id, "failed", { problem: ending.problem });
			} else if (ending.kind === "failed") {
				this.#requeue(id, ending.retryAt ?? 0);
				this.#run("UPDATE tasks SET failures = failures + 1, problem = ? WHERE id = ?", ending.problem, id);
			} else {
				this.#requeue(id, this.#now());
				if (ending.kind === "parked") this.#run("UPDATE tasks SET state = 'parked' WHERE id = ?", id);
			}
		});
	}

	async receive(lease: Lease): Promise<TaskMessage[]> {
		const { id } = lease.task;
		const waiting = "SELECT message FROM inbox WHERE task = ? ORDER BY number";
		// Most calls find nothing, and need no lock.
		if (!this.#database.query(waiting).get(id)) return [];
		let rows: { message: string }[] = [];
		this.#fenced(lease, () => {
			rows = this.#database.query<{ message: string }, [string]>(waiting).all(id);
			this.#run("DELETE FROM inbox WHERE task = ?", id);
		});
		return rows.map(({ message }) => JSON.parse(message) as TaskMessage);
	}

	async send(id: string, message: TaskMessage): Promise<void> {
		this.#write(() => {
			this.#run("INSERT INTO inbox (task, message) VALUES (?, ?)", id, JSON.stringify(message));
			this.#run(
				"UPDATE tasks SET state = 'queued', run_at = ? WHERE id = ? AND state = 'parked'",
				this.#now(),
				id,
			);
		});
	}

	async log(id: string, from = 0): Promise<LogLine[]> {
		return this.#database
			.query<LogLine, [string, number]>(
				"SELECT seq, lease, line FROM log WHERE task = ? AND seq > ? ORDER BY seq",
			)
			.all(id, from);
	}

	async patch(id: string): Promise<Uint8Array | undefined> {
		return this.#blob(id, "patch");
	}

	async file(id: string, which: "in" | keyof ResultFiles): Promise<Uint8Array | undefined> {
		return this.#blob(id, which);
	}

	async stop(id: string): Promise<boolean> {
		return this.#write(() => {
			const task = this.#task(id);
			if (!task || /^(?:done|failed|stopped)$/.test(task.state)) return false;
			// A higher number is what takes it from its worker.
			this.#run("UPDATE tasks SET lease = lease + 1 WHERE id = ? AND state = 'running'", id);
			this.#end(id, "stopped", {});
			return true;
		});
	}

	async retry(id: string): Promise<boolean> {
		return this.#write(() => {
			const progress = { ...noProgress, retriedAfter: this.#task(id)?.lease ?? 0 };
			const changed = this.#run(
				`UPDATE tasks SET failures = 0, losses = 0, problem = NULL, result = NULL, started_at = NULL, ended_at = NULL, progress = ? WHERE id = ? AND ${over}`,
				JSON.stringify(progress),
				id,
			);
			if (changed === 0) return false;
			this.#requeue(id, this.#now());
			for (const table of ["log", "inbox"]) this.#run(`DELETE FROM ${table} WHERE task = ?`, id);
			this.#run("DELETE FROM blobs WHERE task = ? AND kind <> 'in'", id);
			return true;
		});
	}

	async remove(id: string): Promise<boolean> {
		return this.#write(() => this.#run(`DELETE FROM tasks WHERE id = ? AND ${over}`, id) > 0);
	}

	onChange(listener: () => void): Disposable {
		return this.#changes.onChange(listener);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#changes[Symbol.dispose]();
		this.#database.close();
	}

	#checkFormat(): void {
		checkFormat(
			this.#database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0,
		);
	}

	#insert(spec: TaskSpec, { runAt, bundle }: AddOptions & { runAt: number }, now: number): string {
		const id = shortId((taken) => this.#task(taken) !== undefined);
		this.#run(
			"INSERT INTO tasks (id, spec, state, priority, labels, run_at, created_at, progress) VALUES (?, ?, 'queued', ?, ?, ?, ?, ?)",
			id,
			JSON.stringify(spec),
			spec.priority,
			JSON.stringify(spec.labels),
			runAt,
			now,
			JSON.stringify(noProgress),
		);
		for (const needed of spec.after) this.#run("INSERT OR IGNORE INTO needs VALUES (?, ?)", id, needed);
		if (bundle) this.#keep(id, "in", bundle);
		return id;
	}

	/** Writes what the holder of a lease writes. False, and nothing is written, if another one has it. */
	#fenced({ task: { id }, number }: Lease, write: () => void): boolean {
		return this.#write(() => {
			const [row] = this.#rows("SELECT * FROM tasks WHERE id = ?", id);
			if (row?.state !== "running" || row.lease !== number) return false;
			write();
			return true;
		});
	}

	#requeue(id: string, runAt: number): void {
		this.#run(
			"UPDATE tasks SET state = 'queued', run_at = ?, worker = NULL, lease_until = NULL WHERE id = ?",
			runAt,
			id,
		);
	}

	#end(id: string, state: TaskState, fields: Partial<Pick<Row, "result" | "problem" | "losses">>): void {
		this.#run(
			"UPDATE tasks SET state = ?, ended_at = ?, worker = NULL, lease_until = NULL WHERE id = ?",
			state,
			this.#now(),
			id,
		);
		for (const [name, value] of Object.entries(fields))
			this.#run(`UPDATE tasks SET ${name} = ? WHERE id = ?`, value, id);
	}

	#keep(id: string, kind: string, content: Uint8Array): void {
		this.#run("INSERT OR REPLACE INTO blobs VALUES (?, ?, ?)", id, kind, content);
	}

	#blob(id: string, kind: string): Uint8Array | undefined {
		const found = this.#database
			.query<{ content: Uint8Array }, [string, string]>(
				"SELECT content FROM blobs WHERE task = ? AND kind = ?",
			)
			.get(id, kind);
		return found?.content;
	}

	#task(id: string): Task | undefined {
		const [row] = this.#rows("SELECT * FROM tasks WHERE id = ?", id);
		return row && toTask(row);
	}

	#rows(sql: string, ...values: SQLQueryBindings[]): Row[] {
		return this.#database.query<Row, SQLQueryBindings[]>(sql).all(...values);
	}

	#run(sql: string, ...values: SQLQueryBindings[]): number {
		return this.#database.query(sql).run(...values).changes;
	}

	/** The lock is taken first, so that what was read is still true when it is written. */
	#write<T>(work: () => T): T {
		const before = this.#database.query<{ n: number }, []>("SELECT total_changes() AS n");
		const changes = before.get()?.n;
		const outcome = this.#database.transaction(work).immediate();
		if (before.get()?.n !== changes) this.#changes.announce();
		return outcome;
	}
}

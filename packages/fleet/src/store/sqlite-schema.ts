/** The tables of the SQLite store, and its rows as tasks. */
import type { Progress, Task, TaskResult, TaskSpec, TaskState } from "../task.ts";

/** What belongs to a task is deleted with it. */
const ofTask = "task TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE";

const columns = [
	"number INTEGER PRIMARY KEY AUTOINCREMENT",
	"id TEXT NOT NULL UNIQUE",
	"spec TEXT NOT NULL",
	"state TEXT NOT NULL",
	"priority INTEGER NOT NULL",
	"labels TEXT NOT NULL",
	"lease INTEGER NOT NULL DEFAULT 0",
	"lease_until INTEGER",
	"worker TEXT",
	"failures INTEGER NOT NULL DEFAULT 0",
	"losses INTEGER NOT NULL DEFAULT 0",
	"run_at INTEGER NOT NULL",
	"created_at INTEGER NOT NULL",
	"started_at INTEGER",
	"ended_at INTEGER",
	"progress TEXT NOT NULL",
	"result TEXT",
	"problem TEXT",
];

export const schema = [
	"PRAGMA foreign_keys = ON;",
	`CREATE TABLE IF NOT EXISTS tasks (${columns.join(", ")});`,
	"CREATE INDEX IF NOT EXISTS tasks_ready ON tasks (state, priority DESC, number);",
	`CREATE TABLE IF NOT EXISTS needs (${ofTask}, needed TEXT NOT NULL, PRIMARY KEY (task, needed)) WITHOUT ROWID;`,
	`CREATE TABLE IF NOT EXISTS log (${ofTask}, seq INTEGER NOT NULL, lease INTEGER NOT NULL, line TEXT NOT NULL, PRIMARY KEY (task, seq)) WITHOUT ROWID;`,
	`CREATE TABLE IF NOT EXISTS blobs (${ofTask}, kind TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (task, kind)) WITHOUT ROWID;`,
	`CREATE TABLE IF NOT EXISTS inbox (number INTEGER PRIMARY KEY AUTOINCREMENT, ${ofTask}, message TEXT NOT NULL);`,
].join("\n");

/** What a task needs of the worker and of others; `?2` are the labels of the worker as JSON. */
const isForWorker = [
	"NOT EXISTS (SELECT 1 FROM json_each(t.labels) WHERE value NOT IN (SELECT value FROM json_each(?2)))",
	"AND NOT EXISTS (SELECT 1 FROM needs JOIN tasks d ON d.id = needed WHERE task = t.id AND d.state <> 'done')",
	"ORDER BY priority DESC, number LIMIT 1",
].join(" ");

/**
 * The next task for a worker: parameters are the time, and its labels as JSON. Each half follows the index, so that ten
 * thousand waiting tasks cost no more than one.
 */
export const nextReady = `
SELECT * FROM (
	SELECT * FROM (SELECT * FROM tasks t WHERE state = 'queued' AND run_at <= ?1 AND ${isForWorker})
	UNION ALL
	SELECT * FROM (SELECT * FROM tasks t WHERE state = 'running' AND lease_until < ?1 AND ${isForWorker})
) ORDER BY priority DESC, number LIMIT 1`;

export interface Row {
	number: number;
	id: string;
	spec: string;
	state: TaskState;
	lease: number;
	lease_until: number | null;
	worker: string | null;
	failures: number;
	losses: number;
	run_at: number;
	created_at: number;
	started_at: number | null;
	ended_at: number | null;
	progress: string;
	result: string | null;
	problem: string | null;
}

export function toTask(row: Row): Task {
	const { id, state, lease, failures, losses } = row;
	return {
		id,
		// Written by this store alone.
		spec: JSON.parse(row.spec) as TaskSpec,
		state,
		lease,
		failures,
		losses,
		runAt: row.run_at,
		createdAt: row.created_at,
		progress: JSON.parse(row.progress) as Progress,
		...(row.worker === null ? {} : { worker: row.worker }),
		...(row.started_at === null ? {} : { startedAt: row.started_at }),
		...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
		...(row.result === null ? {} : { result: JSON.parse(row.result) as TaskResult }),
		...(row.problem === null ? {} : { problem: row.problem }),
	};
}

/** Scans in a worker process. */
import { WorkerPool } from "@tau/sys";

import { limits } from "./limits.ts";
import { Stats, type StatsPlaces } from "./stats.ts";
import type { SyncResult } from "./sync.ts";

interface Scanned extends SyncResult {
	/** What the user should know about the index. */
	notices: string[];
}

/** What the worker can do. */
export const scanTasks = {
	async sync(places: StatsPlaces): Promise<Scanned> {
		const notices: string[] = [];
		using stats = new Stats(places, (notice) => notices.push(notice));
		return { ...(await stats.sync()), notices };
	},
};

const pool = new WorkerPool({
	name: "stats",
	entry: "@tau/stats/worker",
	load: async () => scanTasks,
});

/** Rejects with the reason if it cannot, or takes too long. */
export async function scanInWorker(places: StatsPlaces, signal?: AbortSignal): Promise<Scanned> {
	// A worker has no environment: the paths are passed to it.
	const { data, home, more, env = {} } = places;
	const known = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_DATA_HOME"];
	const passed = Object.fromEntries(
		known.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
	);
	const task: StatsPlaces = { data, home, env: passed, ...(more ? { more } : {}) };
	return await pool.run("sync", [task], {
		limits: { ms: limits.syncMs, memoryBytes: limits.syncBytes, answerBytes: limits.answerBytes },
		signal,
	});
}

/** `@oh-my-pi/omp-stats`: what all sessions cost, for extensions. */
import {
	dashboardStats,
	rangeOf,
	scanInWorker,
	serveStats,
	Stats,
	statsRoutes,
	type DashboardStats,
	type StatsServer,
	type SyncResult,
} from "@tau/stats";
import { dirs } from "@tau/utils";

const ompPort = 3847;

async function syncAllSessions(): Promise<SyncResult> {
	const { data, home } = dirs();
	const { processed, files } = await scanInWorker({ data, home, env: process.env });
	return { processed, files };
}

async function getDashboardStats(range = "all"): Promise<DashboardStats> {
	const known = rangeOf(range);
	if (!known) throw new Error(`Unknown range ${range}: 24h, 7d, 30d, today or all.`);
	using stats = Stats.ofUser();
	return dashboardStats(stats.database, known);
}

async function getTotalMessageCount(): Promise<number> {
	using stats = Stats.ofUser();
	return stats.count();
}

async function startServer(port: number = ompPort, host = "127.0.0.1"): Promise<StatsServer> {
	return serveStats(statsRoutes({ open: () => Stats.ofUser(), sync: syncAllSessions }), { port, host });
}

/** Nothing is open between two calls. */
function closeDb(): void {}

export const statsExports = {
	syncAllSessions,
	getDashboardStats,
	getTotalMessageCount,
	startServer,
	closeDb,
};

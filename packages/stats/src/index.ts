/** What models cost, over all sessions of the user: the public interface of @tau/stats. */
export { rangeOf, type Range } from "./query/range.ts";
export { dashboardStats, type AggregatedStats, type DashboardStats } from "./query/dashboard.ts";
export { csvOf } from "./report/csv.ts";
export { summaryLines, tableJson, tableLines } from "./report/summary.ts";
export { divisions, tableBy, type TableDivision } from "./report/table.ts";
export type { ProviderWindow } from "./query/providers.ts";
export { scanInWorker } from "./scan-in-worker.ts";
export { statsRoutes } from "./server/routes.ts";
export { serveStats, type StatsServer } from "./server/serve.ts";
export { Stats, type StatsPlaces } from "./stats.ts";
export type { SyncProgress, SyncResult } from "./sync.ts";

/** Tasks on other machines: stores, workers and the commands of the fleet. */
export { limits as fleetLimits } from "./limits.ts";
export type { SessionRequest, StartSession, TaskSession } from "./worker/session.ts";
export { runWorker, type WorkerOptions } from "./worker/worker.ts";
export { SqliteStore } from "./store/sqlite-store.ts";
export type * from "./store/store.ts";
export type * from "./task.ts";
export type { FleetContext } from "./commands/context.ts";
export { runTaskCommand, taskActions } from "./commands/task-command.ts";

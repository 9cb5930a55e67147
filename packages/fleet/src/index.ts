/** Tasks on other machines: stores, workers and the commands of the fleet. */
export type { FleetContext } from "./commands/context.ts";
export { runTaskCommand } from "./commands/task-command.ts";
export { limits as fleetLimits } from "./limits.ts";
export { openStore } from "./store/open-store.ts";
export type { StartSession } from "./worker/session.ts";
export { runWorker } from "./worker/worker.ts";

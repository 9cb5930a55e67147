/** Tasks on other machines: stores, workers and the commands of the fleet. */
export type { FleetContext } from "./commands/context.ts";
export { taskViews, type TaskView } from "./commands/show.ts";
export { runTaskCommand } from "./commands/task-command.ts";
export { withGitToken } from "./git/token.ts";
export { limits as fleetLimits } from "./limits.ts";
export { dispatchTasks, type Runner } from "./runner/dispatch.ts";
export { kubernetesRunner } from "./runner/kubernetes-runner.ts";
export { dockerCommand, programRunner } from "./runner/program-runner.ts";
export { readLabels, type TaskAgent, type TaskSpec } from "./task.ts";
export type { TaskStore } from "./store/store.ts";
export { openStore, StoreAway } from "./store/open-store.ts";
export type { StartSession } from "./worker/session.ts";
export { keyFromGateway } from "./worker/gateway-keys.ts";
export { runWorker, type WorkerOptions } from "./worker/worker.ts";

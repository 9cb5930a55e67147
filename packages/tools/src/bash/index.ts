/** The entry point `@tau/tools/bash`. */
export { CommandRun } from "./command-run.ts";
export { type Job, type JobState, jobsService } from "./jobs.ts";
export { portsService } from "./port-watch.ts";
export { shellService } from "./shell-service.ts";
export { bash } from "./tool.ts";
export { report as commandReport } from "./report.ts";

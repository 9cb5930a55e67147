/** The entry point `@tau/tools/bash`. */
export { type Job, type JobState, jobsSlot } from "./jobs.ts";
export { shellSlot } from "./shell-slot.ts";
export { bash } from "./tool.ts";

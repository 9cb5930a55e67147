/** Schedules: prompts that the daemon runs at given times. */
export { scheduleActions, runScheduleAction } from "./command.ts";
export { readSchedules } from "./store.ts";

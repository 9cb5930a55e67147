/** The door of the session log. */
export { SessionLog } from "./session-log.ts";

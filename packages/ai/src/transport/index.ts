/** The door of the transport. */
export { post, type HttpRequest } from "./http.ts";
export type { Silence } from "./watchdog.ts";

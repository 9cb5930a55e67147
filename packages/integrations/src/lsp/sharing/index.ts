/** The entry point of how servers are started and shared, which is loaded with the first of them. */
export { meetingPoint } from "./meeting-point.ts";
export { openLink, type ServerLink } from "./server-link.ts";

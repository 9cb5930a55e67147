/** The entry point of the agent hub. */
export { openHub, showAgent } from "./open-hub.ts";

/** The entry point of the agent hub. */
export { openAgent, openHub } from "./open-hub.ts";

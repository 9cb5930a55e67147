/** The entry point `@tau/resources/agents`. */
export { type AgentFile, readAgents } from "./find-agents.ts";

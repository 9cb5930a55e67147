/** The entry point `@tau/session/trees`. */
export { agentTree, type AgentTreeParts } from "./agent-tree.ts";

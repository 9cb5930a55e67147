/** The entry point `@tau/tools/task`. */
export {
	agentsOf,
	agentTypeFrom,
	builtinAgents,
	userAgents,
	type AgentType,
	type ParsedType,
} from "./agent-type.ts";
export { agentUrls } from "./agent-urls.ts";
export { resumeAgent, runAgent, type AgentTask } from "./run-agent.ts";

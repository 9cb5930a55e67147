/** The door of the loop. */
export { agentLoop } from "./loop.ts";
export type { AgentStream } from "./loop.ts";
export type {
	AgentContext,
	AgentEvent,
	AgentLoopConfig,
	AgentMessage,
	AgentTool,
	AgentToolResult,
	CustomMessages,
	ToolUpdate,
	Validated,
} from "./types.ts";

/** The entry point `@tau/session/run`. */

export type { AgentSession } from "./agent-session.ts";
export type { Behavior, SessionEvent, SessionHandle } from "./behavior.ts";
export { callTool, failedResult, type DirectCall, type ToolCaller } from "./call-tool.ts";
export { withoutOpenCalls } from "./side-requests.ts";
export { convertToLlm } from "./convert-to-llm.ts";
export { Cancelled, PromptDenied, UserError } from "./user-error.ts";
export type { CompactionAbout, CompactionChange, CompactionHook, RunPreparation } from "./run-hooks.ts";
export { promptMessage, unansweredMessages } from "./prompt.ts";
export { titleOf } from "./title-setting.ts";
export {
	toolLayers,
	type PromptOfTools,
	type SessionTool,
	type SessionTools,
	type ToolEntry,
	type ToolLayer,
} from "./session-tools.ts";
export { sessionStats, type SessionStats } from "./stats.ts";
export { todoStatuses, type Rule, type TodoItem, type TodoPhase, type TodoStatus } from "@tau/wire";
export { sessionModel } from "./session-model.ts";

/** The entry point `@tau/session/run`. */
export type { AgentSession } from "./agent-session.ts";
export type { Behavior, SessionEvent, SessionHandle } from "./behavior.ts";
export { Conversation, type LiveSession, type SessionChange, type SessionLifecycle } from "./conversation.ts";
export { convertToLlm } from "./convert-to-llm.ts";
export { cycleModel, useLevel, useModel } from "./model-use.ts";
export { Cancelled, Refusal } from "./refusal.ts";
export type { CompactionAbout, CompactionChange, CompactionHook } from "./run-hooks.ts";
export { budgetOf, compactionSettings, retryHelp, retrySettings, titleOf } from "./run-settings.ts";
export {
	type ForkMessage,
	type SessionDesk,
	clone,
	fork,
	forkMessages,
	forkWhole,
	newSession,
	switchSession,
} from "./sessions.ts";
export type { Rule } from "./rule.ts";
export {
	toolLayers,
	type PromptOfTools,
	type SessionTool,
	type SessionTools,
	type ToolEntry,
	type ToolLayer,
} from "./session-tools.ts";
export { sessionStats, type SessionStats } from "./stats.ts";
export { todoStatuses, type TodoItem, type TodoStatus } from "./todo-item.ts";

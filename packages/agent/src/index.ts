/** The public interface of @tau/agent. */
export { Agent, type AgentListener, type AgentOptions } from "./agent.ts";
export { LoopState, type AgentState, type Queues } from "./loop-state.ts";
export { defaultConvertToLlm, type Attachment, type UserMessageWithAttachments } from "./attachments.ts";
export * from "./compaction/index.ts";
export { agentLoop } from "./loop.ts";
export type { AgentStream } from "./loop.ts";
export { runTools, type ToolRun } from "./run-tools.ts";
export { MessageQueue, type QueueMode } from "./queue.ts";
export type {
	CheckedCall,
	Decision,
	FrozenCall,
	JudgedPaths,
	Rewrite,
	ToolApproval,
	ToolGate,
	Touch,
	Verdict,
} from "./tool-gate.ts";
export type {
	AgentContext,
	AgentEvent,
	AgentLoopConfig,
	ModelRequest,
	AgentMessage,
	AgentTool,
	AgentToolResult,
	CarriedFact,
	AnswerInterruption,
	AnswerUpdate,
	CustomMessages,
	Interrupted,
	MessageSource,
	Preview,
	TextChange,
	ToolUpdate,
	TurnSettings,
	Validated,
} from "./types.ts";

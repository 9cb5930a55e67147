/** The door of the application for programs that embed it. */
export { ModelRegistry } from "./config/model-registry.ts";
export { Settings, type SettingPath, type SettingValue } from "./config/settings/index.ts";
export {
	RpcClient,
	RpcError,
	type RpcBashResult,
	type RpcClientOptions,
	type RpcCommand,
	type RpcEvent,
	type RpcEventListener,
	type RpcModel,
	type RpcResponse,
	type RpcSessionState,
	type RpcSessionStats,
	type RpcSlashCommand,
	type RpcStreams,
	type RpcUIAnswer,
	type RpcUIRequest,
} from "./modes/rpc/index.ts";
export {
	createAgentSession,
	type CreateAgentSessionOptions,
	type CreateAgentSessionResult,
} from "./sdk/create-agent-session.ts";
export {
	AgentSession,
	persistence,
	SessionLockedError,
	SessionManager,
	type AgentSessionOptions,
	type BlobStore,
	type CompactionResult,
	type ContextUsage,
	type ContextOptions,
	type Locked,
	type LockOwner,
	type LogProblem,
	type ModelUsage,
	type OpenOptions,
	type OpenOutcome,
	type Prompt,
	type SessionContext,
	type SessionEntry,
	type SessionEvent,
	type SessionHeader,
	type SessionInfo,
	type SessionTreeNode,
	type TurnUsage,
	type UsageLedger,
} from "./session/index.ts";
export { defineTool, type ToolContext, type ToolSpec } from "./tools/define-tool.ts";
export { errorResult, textResult } from "./tools/result.ts";
export { builtinTools } from "./tools/index.ts";
export { StringEnum, Type, type Static, type TObject, type TSchema } from "./extensibility/typebox/index.ts";
export {
	isBashToolResult,
	isEditToolResult,
	isFindToolResult,
	isGrepToolResult,
	isLsToolResult,
	isReadToolResult,
	isToolCallEventType,
	isWriteToolResult,
} from "./extensibility/extensions/guards.ts";
export type * from "./extensibility/extensions/events/types.ts";
export type * from "./extensibility/extensions/tool-renderer.ts";
export type * from "./extensibility/extensions/types.ts";
export type {
	CustomOptions,
	DialogOptions,
	ExtensionUI,
	FooterData,
	WidgetOptions,
	WorkingIndicatorOptions,
} from "./extensibility/extensions/ui/types.ts";
export type { ExtensionMode, SessionControl } from "./extensibility/extensions/mode.ts";
export {
	createLocalBashOperations,
	type BashOperations,
} from "./extensibility/extensions/bash-operations.ts";
/** What the messages of a conversation are made of. */
export type {
	AssistantMessage,
	AssistantMessageEvent,
	Context,
	Message,
	Model,
	StreamOptions,
	ThinkingLevel,
	ToolCall,
	ToolResultMessage,
	UserMessage,
} from "@tau/ai";
export type { AgentMessage, AgentToolResult } from "@tau/agent";

/** The entry point of the application for programs that embed it. */
export { ModelRegistry } from "@tau/session/models";
export { Settings, type SettingPath, type SettingValue } from "@tau/session/settings";
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
export { AgentSession } from "./sdk/agent-session.ts";
export {
	persistence,
	SessionLockedError,
	SessionManager,
	type BlobStore,
	type CompactionResult,
	type ContextUsage,
	type ContextOptions,
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
} from "@tau/session";
export {
	UserRequests,
	type Admission,
	type MoveOutcome,
	type RequestClient,
	type SessionChange,
	type SessionHost,
	type SessionMove,
	type UserAnswer,
	type UserRequest,
} from "@tau/session/host";
export { defineTool, type ToolContext, type ToolSpec } from "@tau/tools/tool";
export { errorResult, textResult } from "@tau/tools/tool";
export { markOf, readStored, storedIn, storedType, wholeContent, withoutImages } from "@tau/session/export";
export { builtinTools } from "@tau/tools/builtin";
export { StringEnum, Type, type Static, type TObject, type TSchema } from "@tau/extensions/typebox";
export {
	isBashToolResult,
	isEditToolResult,
	isFindToolResult,
	isGrepToolResult,
	isLsToolResult,
	isReadToolResult,
	isToolCallEventType,
	isWriteToolResult,
} from "@tau/extensions/api";
export type * from "@tau/extensions/api";
export {
	type CustomOptions,
	type DialogOptions,
	type ExtensionUI,
	type FooterData,
	type WidgetOptions,
	type WorkingIndicatorOptions,
} from "@tau/extensions/ui";
export { createLocalBashOperations } from "@tau/extensions/api";
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
export type { Locked, LockOwner } from "@tau/utils";

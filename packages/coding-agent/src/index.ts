/** The entry point of the application for programs that embed it. */
export { ModelRegistry } from "@tau/config/models";
export { Settings, type SettingPath, type SettingValue } from "@tau/config/settings";
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
} from "@tau/server/rpc";
export {
	createAgentSession,
	type CreateAgentSessionOptions,
	type CreateAgentSessionResult,
} from "./sdk/create-agent-session.ts";
export { SdkSession as AgentSession } from "./sdk/sdk-session.ts";
export {
	persistence,
	type CompactionResult,
	type ContextUsage,
	type ModelUsage,
	type Prompt,
	type SessionEvent,
	type TurnUsage,
	type UsageLedger,
} from "@tau/session";
export {
	SessionLockedError,
	SessionManager,
	type BlobStore,
	type ContextOptions,
	type LogProblem,
	type OpenOptions,
	type OpenOutcome,
	type SessionContext,
	type SessionEntry,
	type SessionHeader,
	type SessionInfo,
	type SessionTreeNode,
} from "@tau/log";
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
export { defineTool, type ToolContext, type ToolSpec, errorResult, textResult } from "@tau/tools/tool";
export { markOf, readStored, storedIn, storedType, wholeContent, withoutImages } from "@tau/session/export";
export { builtinTools } from "@tau/integrations/builtin";
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
	createLocalBashOperations,
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

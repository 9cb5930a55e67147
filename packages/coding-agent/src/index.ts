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

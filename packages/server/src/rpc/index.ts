/** The entry point of RPC mode. */
export type { RpcClientOptions } from "./child.ts";
export { RpcClient } from "./client.ts";
export type { RpcEventListener } from "./endpoint.ts";
export type { RpcCommand } from "./commands.ts";
export { RpcError, type RpcStreams } from "./connection.ts";
export type { RpcSession } from "./command-scope.ts";
export type {
	RpcBashResult,
	RpcEvent,
	RpcModel,
	RpcResponse,
	RpcSessionState,
	RpcSessionStats,
	RpcSlashCommand,
	RpcUIAnswer,
	RpcUIRequest,
} from "./protocol.ts";
export { runRpc } from "./run-rpc.ts";

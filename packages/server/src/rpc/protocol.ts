/** What a client gets: responses to its commands, and the events of the session. The shapes are rows of `@tau/wire`. */
import type { CommandName, CommandResult, EventFrame, ExtensionUIRequest } from "@tau/wire";

export type {
	CommandId as RpcId,
	ExtensionUIRequest as RpcUIRequest,
	ExtensionUIResponse as RpcUIAnswer,
	PublicModel as RpcModel,
	SessionState as RpcSessionState,
} from "@tau/wire";

/** The `data` of each response; `void` if there is none. */
export type RpcResults = { [T in CommandName]: CommandResult<T> };
export type RpcResult = RpcResults[CommandName];

export type RpcSessionStats = RpcResults["get_session_stats"];
export type RpcCompactionResult = RpcResults["compact"];
export type RpcBashResult = RpcResults["bash"];
export type RpcCellResult = RpcResults["cell"];
export type RpcSlashCommand = RpcResults["get_commands"]["commands"][number];
export type RpcForkMessage = RpcResults["get_fork_messages"]["messages"][number];

export interface RpcSuccess {
	id?: string | number;
	type: "response";
	command: CommandName;
	success: true;
	data?: RpcResult;
}

export interface RpcFailure {
	id?: string | number;
	type: "response";
	/** `parse` where the command could not be read. */
	command: string;
	success: false;
	error: string;
}

export type RpcResponse = RpcSuccess | RpcFailure;

/** What a client gets unasked: events of the session, and what extensions show and ask. */
export type RpcEvent = EventFrame | ExtensionUIRequest;

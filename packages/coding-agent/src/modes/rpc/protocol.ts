/** What a client gets: responses to its commands, and the events of the session. */
import type { SessionStats } from "@tau/session/run";
import type { AgentMessage, QueueMode } from "@tau/agent";
import type { Model, ThinkingLevel } from "@tau/ai";

import type { EventFrame } from "../frames.ts";
import type { CommandType } from "./commands.ts";
import type { RpcUIRequest } from "./ui-protocol.ts";

/** What a client puts on a command to find the response to it. */
export type RpcId = string | number;

/** A model as clients see it: its headers may hold keys. */
export type RpcModel = Omit<Model, "headers">;

export interface RpcSessionState {
	model: RpcModel;
	thinkingLevel: ThinkingLevel;
	/** A prompt is being answered, or is waiting to be tried again. */
	isStreaming: boolean;
	isCompacting: boolean;
	steeringMode: QueueMode;
	followUpMode: QueueMode;
	sessionFile?: string;
	sessionId: string;
	sessionName?: string;
	autoCompactionEnabled: boolean;
	autoRetryEnabled: boolean;
	messageCount: number;
	pendingMessageCount: number;
}

export type RpcSessionStats = SessionStats;

export interface RpcCompactionResult {
	summary: string;
	/** From here on the conversation is kept as it was. */
	firstKeptEntryId: string;
	tokensBefore: number;
	details?: unknown;
}

export interface RpcBashResult {
	output: string;
	/** Absent when the command was killed. */
	exitCode?: number;
	cancelled: boolean;
	truncated: boolean;
}

/** What can be said with a `/` before it. */
export interface RpcSlashCommand {
	name: string;
	description?: string;
	source: "extension" | "prompt" | "skill";
	sourceInfo: Record<string, unknown>;
}

export interface RpcForkMessage {
	entryId: string;
	text: string;
}

interface Cancellable {
	cancelled: boolean;
}

/** The `data` of each response; `void` where there is none. */
export interface RpcResults {
	prompt: void;
	steer: void;
	follow_up: void;
	abort: void;
	new_session: Cancellable;
	get_state: RpcSessionState;
	get_messages: { messages: readonly AgentMessage[] };
	set_model: RpcModel;
	cycle_model: { model: RpcModel; thinkingLevel: ThinkingLevel; isScoped: boolean } | null;
	get_available_models: { models: RpcModel[] };
	set_thinking_level: void;
	cycle_thinking_level: { level: ThinkingLevel } | null;
	set_steering_mode: void;
	set_follow_up_mode: void;
	compact: RpcCompactionResult;
	set_auto_compaction: void;
	set_auto_retry: void;
	abort_retry: void;
	bash: RpcBashResult;
	abort_bash: void;
	get_session_stats: RpcSessionStats;
	export_html: { path: string };
	switch_session: Cancellable;
	fork: Cancellable & { text: string };
	clone: Cancellable;
	get_fork_messages: { messages: RpcForkMessage[] };
	get_last_assistant_text: { text: string | null };
	set_session_name: void;
	get_commands: { commands: RpcSlashCommand[] };
}

export type RpcResult = RpcResults[CommandType];

export interface RpcSuccess {
	id?: RpcId;
	type: "response";
	command: CommandType;
	success: true;
	data?: RpcResult;
}

export interface RpcFailure {
	id?: RpcId;
	type: "response";
	/** `parse` where the command could not be read. */
	command: string;
	success: false;
	error: string;
}

export type RpcResponse = RpcSuccess | RpcFailure;

/** What a client gets unasked: events of the session, and what extensions show and ask. */
export type RpcEvent = EventFrame | RpcUIRequest;

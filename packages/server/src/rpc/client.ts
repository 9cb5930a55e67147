/** A client of RPC mode for programs: a method for each command of the protocol. */
import type { QueueMode } from "@tau/agent";
import type { ImageContent, ThinkingLevel } from "@tau/ai";
import type { Cancelled, UserAnswer, UserRequest } from "@tau/wire";

import type { CommandFields } from "./connection.ts";
import { RpcEndpoint } from "./endpoint.ts";
import type {
	RpcBashResult,
	RpcCellResult,
	RpcCompactionResult,
	RpcForkMessage,
	RpcModel,
	RpcResults,
	RpcSessionState,
	RpcSessionStats,
	RpcSlashCommand,
} from "./protocol.ts";

export class RpcClient extends RpcEndpoint {
	async steer(message: string, images?: ImageContent[]): Promise<RpcResults["steer"]> {
		return this.send("steer", { message, images });
	}

	async followUp(message: string, images?: ImageContent[]): Promise<RpcResults["follow_up"]> {
		return this.send("follow_up", { message, images });
	}

	/** Resolves when nothing runs any more. */
	async abort(): Promise<void> {
		await this.send("abort", {});
	}

	async newSession(parentSession?: string): Promise<{ cancelled: boolean }> {
		return this.send("new_session", { parentSession });
	}

	async getState(): Promise<RpcSessionState> {
		return this.send("get_state", {});
	}

	async getMessages(): Promise<RpcResults["get_messages"]["messages"]> {
		return (await this.send("get_messages", {})).messages;
	}

	async setModel(provider: string, modelId: string): Promise<RpcModel> {
		return this.send("set_model", { provider, modelId });
	}

	async cycleModel(): Promise<RpcResults["cycle_model"]> {
		return this.send("cycle_model", {});
	}

	async getAvailableModels(): Promise<RpcModel[]> {
		return (await this.send("get_available_models", {})).models;
	}

	async setThinkingLevel(level: ThinkingLevel): Promise<void> {
		await this.send("set_thinking_level", { level });
	}

	async cycleThinkingLevel(): Promise<{ level: ThinkingLevel } | null> {
		return this.send("cycle_thinking_level", {});
	}

	async setSteeringMode(mode: QueueMode): Promise<void> {
		await this.send("set_steering_mode", { mode });
	}

	async setFollowUpMode(mode: QueueMode): Promise<void> {
		await this.send("set_follow_up_mode", { mode });
	}

	async setAutoRetry(enabled: boolean): Promise<void> {
		await this.send("set_auto_retry", { enabled });
	}

	async abortRetry(): Promise<void> {
		await this.send("abort_retry", {});
	}

	/** Waits for as long as it takes. */
	async compact(customInstructions?: string): Promise<RpcCompactionResult> {
		return this.connected("compact").request("compact", { customInstructions });
	}

	/** Continues in a new session; waits for as long as the model writes. Returns whether an extension cancelled it. */
	async handoff(customInstructions?: string): Promise<{ cancelled: boolean }> {
		return this.connected("handoff").request("handoff", { customInstructions });
	}

	/** What fills the context; `text` is the same for a reader. */
	async getContext(): Promise<RpcResults["get_context"]> {
		return this.send("get_context", {});
	}

	async inspectContext(itemId: string): Promise<string> {
		return (await this.send("inspect_context", { itemId })).text;
	}

	/** Takes items out of the context; the session keeps them. */
	async dropContext(itemIds: string[]): Promise<void> {
		await this.send("drop_context", { itemIds });
	}

	async restoreContext(itemIds: string[]): Promise<void> {
		await this.send("restore_context", { itemIds });
	}

	/** What the last compaction has left to the model. */
	async getSummary(): Promise<RpcResults["get_summary"]["summary"]> {
		return (await this.send("get_summary", {})).summary;
	}

	async editSummary(text: string): Promise<void> {
		await this.send("edit_summary", { text });
	}

	async undoSummary(): Promise<void> {
		await this.send("undo_summary", {});
	}

	/** A question beside the conversation; waits for as long as the model writes. */
	async btw(question: string): Promise<RpcResults["btw"]> {
		return this.connected("btw").request("btw", { question });
	}

	/** Asks another model; its answer becomes a message of the conversation. */
	async askModel(options: CommandFields<"ask_model">): Promise<RpcResults["ask_model"]> {
		return this.connected("ask_model").request("ask_model", options);
	}

	async abortSideQuestion(): Promise<void> {
		await this.send("abort_side_question", {});
	}

	async setAutoCompaction(enabled: boolean): Promise<void> {
		await this.send("set_auto_compaction", { enabled });
	}

	/** Waits for as long as the command runs. */
	async bash(command: string): Promise<RpcBashResult> {
		return this.connected("bash").request("bash", { command });
	}

	/** Runs a cell of Python or JavaScript; `abortBash` interrupts it. */
	async cell(
		code: string,
		options: { language?: "python" | "js"; excludeFromContext?: boolean } = {},
	): Promise<RpcCellResult> {
		return this.connected("cell").request("cell", { code, ...options });
	}

	async abortBash(): Promise<void> {
		await this.send("abort_bash", {});
	}

	/** Asks the model again after a failed or stopped answer. */
	async retry(): Promise<void> {
		await this.send("retry", {});
	}

	/** Moves running commands to the background; gives the ids of the jobs. */
	async backgroundBash(): Promise<string[]> {
		return (await this.send("background_bash", {})).jobs;
	}

	async getSessionStats(): Promise<RpcSessionStats> {
		return this.send("get_session_stats", {});
	}

	/** Gives the file that was written. */
	async exportHtml(outputPath?: string): Promise<{ path: string }> {
		return this.send("export_html", { outputPath });
	}

	async switchSession(sessionPath: string): Promise<{ cancelled: boolean }> {
		return this.send("switch_session", { sessionPath });
	}

	async fork(entryId: string): Promise<{ text: string; cancelled: boolean }> {
		return this.send("fork", { entryId });
	}

	async clone(): Promise<{ cancelled: boolean }> {
		return this.send("clone", {});
	}

	async getForkMessages(): Promise<RpcForkMessage[]> {
		return (await this.send("get_fork_messages", {})).messages;
	}

	/** The user's messages, with the files that are different since. */
	async getRewindPoints(): Promise<RpcResults["get_rewind_points"]["points"]> {
		return (await this.send("get_rewind_points", {})).points;
	}

	/** What restoring the files of an entry would do; without one, what `redoRewind` would do. */
	async previewRewind(
		entryId?: string,
		options: { diff?: boolean } = {},
	): Promise<RpcResults["preview_rewind"]["files"]> {
		return (await this.send("preview_rewind", { entryId, ...options })).files;
	}

	async rewind(
		entryId: string,
		restore: "conversation" | "files" | "both",
		overwrite?: boolean | string[],
	): Promise<RpcResults["rewind"]> {
		return this.send("rewind", { entryId, restore, overwrite });
	}

	async redoRewind(overwrite?: boolean | string[]): Promise<RpcResults["redo_rewind"]> {
		return this.send("redo_rewind", { overwrite });
	}

	/** The agents of the session, also those that have ended. */
	async getChildren(): Promise<RpcResults["get_children"]["children"]> {
		return (await this.send("get_children", {})).children;
	}

	async getChildMessages(childId: string): Promise<RpcResults["get_child_messages"]["messages"]> {
		return (await this.send("get_child_messages", { childId })).messages;
	}

	/** Sends an agent a message; one that has ended is opened again. */
	async promptChild(
		childId: string,
		message: string,
		streamingBehavior?: "steer" | "followUp",
	): Promise<void> {
		await this.send("prompt_child", { childId, message, streamingBehavior });
	}

	async abortChild(childId: string): Promise<void> {
		await this.send("abort_child", { childId });
	}

	async getGoal(): Promise<RpcResults["get_goal"]["goal"]> {
		return (await this.send("get_goal", {})).goal;
	}

	/** The model works until the command passes; undefined ends that. */
	async setGoal(check: string | undefined): Promise<void> {
		await this.send("set_goal", { check });
	}

	async getTodos(): Promise<RpcResults["get_todos"]["phases"]> {
		return (await this.send("get_todos", {})).phases;
	}

	/** Replaces the list; the model reads of it with the next prompt. */
	async setTodos(phases: CommandFields<"set_todos">["phases"]): Promise<void> {
		await this.send("set_todos", { phases });
	}

	/** Those after `since`, on all branches, in the order in which they were written. */
	async getEntries(since?: string): Promise<RpcResults["get_entries"]> {
		return this.send("get_entries", { since });
	}

	async getTree(): Promise<RpcResults["get_tree"]> {
		return this.send("get_tree", {});
	}

	/** Removes the queued messages and returns their text. */
	async clearQueue(): Promise<RpcResults["clear_queue"]> {
		return this.send("clear_queue", {});
	}

	async getAvailableThinkingLevels(): Promise<RpcResults["get_available_thinking_levels"]["levels"]> {
		return (await this.send("get_available_thinking_levels", {})).levels;
	}

	async getLastAssistantText(): Promise<string | null> {
		return (await this.send("get_last_assistant_text", {})).text;
	}

	async setSessionName(name: string): Promise<void> {
		await this.send("set_session_name", { name });
	}

	/** Questions to the user that are open. */
	async listRequests(): Promise<readonly UserRequest[]> {
		// The schema of a union of unions is inferred more widely than its members define.
		return (await this.send("list_requests", {})).requests as unknown as readonly UserRequest[];
	}

	/** `{ cancelled: true }` declines. */
	async answerRequest(requestId: string, answer: UserAnswer | Cancelled): Promise<void> {
		await this.send("answer_request", { requestId, answer: { ...answer } });
	}

	/** The kinds of requests that this program answers from now on; approvals are not among them before. */
	async setRequestKinds(kinds: CommandFields<"set_request_kinds">["kinds"]): Promise<void> {
		await this.send("set_request_kinds", { kinds });
	}

	/** For this session. */
	async setApprovalMode(mode: CommandFields<"set_approval_mode">["mode"]): Promise<void> {
		await this.send("set_approval_mode", { mode });
	}

	/** What the user has allowed for longer than one call, newest first. */
	async listGrants(): Promise<RpcResults["list_grants"]["grants"]> {
		return (await this.send("list_grants", {})).grants;
	}

	async revokeGrant(grantId: string): Promise<void> {
		await this.send("revoke_grant", { grantId });
	}

	/** For this session alone. */
	async setSetting(path: string, value: unknown): Promise<void> {
		await this.send("set_setting", { path, value });
	}

	async getCommands(): Promise<RpcSlashCommand[]> {
		return (await this.send("get_commands", {})).commands;
	}

	/** Every slash command that `runCommand` runs, with the right that it needs. */
	async listCommands(): Promise<RpcResults["list_commands"]["commands"]> {
		return (await this.send("list_commands", {})).commands;
	}

	/** What may follow the name of a slash command. */
	async completeCommand(name: string, prefix = ""): Promise<RpcResults["complete_command"]["items"]> {
		return (await this.send("complete_command", { name, prefix })).items;
	}

	/** Runs a slash command; waits for as long as it takes. It may ask: see `listRequests`. */
	async runCommand(name: string, args = ""): Promise<RpcResults["run_command"]> {
		return this.connected("run_command").request("run_command", { name, args });
	}

	/** Stops the slash commands of this client, or those of a name. */
	async abortCommand(name?: string): Promise<void> {
		await this.send("abort_command", { name });
	}
}

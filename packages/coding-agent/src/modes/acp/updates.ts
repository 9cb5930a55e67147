/** Turns what happens in a session, and what has happened in it, into the updates of the protocol. */
import type * as acp from "@agentclientprotocol/sdk/unstable";
import { oneLine, uuidv7 } from "@tau/utils";
import {
	userTextOf,
	type Entry,
	type EventFrame,
	type EventFrameOf,
	type TodoPhase,
	type WireMessage,
} from "@tau/wire";

import { limits } from "./limits.ts";
import { CommandTerminals } from "./terminals.ts";
import {
	changedLocations,
	describedCall,
	fenced,
	resultContent,
	textContent,
	type ShownCall,
} from "./tool-calls.ts";

type CallEvent = EventFrameOf<"tool_execution_start" | "tool_execution_update" | "tool_execution_end">;

/** A call that the client knows of and that has not ended. */
interface OpenCall extends ShownCall {
	readonly id: string;
}

export interface UpdatesOptions {
	cwd(): string;
	/** Whether the client draws the terminals of commands. */
	hasTerminals: boolean;
	/** Whether the user's message came from this client, which shows it already. */
	isOwnMessage(text: string): boolean;
}

/** The updates of one session, in order. */
export class Updates {
	readonly #options: UpdatesOptions;
	readonly #open = new Map<string, OpenCall>();
	readonly #terminals: CommandTerminals | undefined;
	/** The names of agents by their ids. */
	readonly #agents = new Map<string, string>();
	#messageId = uuidv7();

	constructor(options: UpdatesOptions) {
		this.#options = options;
		this.#terminals = options.hasTerminals ? new CommandTerminals() : undefined;
	}

	of(event: EventFrame): acp.SessionUpdate[] {
		switch (event.type) {
			case "message_start":
				this.#messageId = uuidv7();
				return event.message.role === "user" ? this.#userMessage(event.message) : [];
			case "message_update":
				return this.#streamed(event.assistantMessageEvent);
			case "message_end":
				return event.message.role === "custom" ? shownMessage(event.message, this.#messageId) : [];
			case "tool_execution_start":
			case "tool_execution_update":
			case "tool_execution_end":
				return this.#call(event, undefined);
			case "user_command_end":
				return replayedMessage(event.message, uuidv7(), this.#options.cwd());
			case "agent_end":
				return this.#endCalls();
			case "child_started":
				this.#agents.set(event.id, event.name);
				return [];
			case "child_event":
				return this.#ofChild(event.id, event.event);
			case "child_ended":
				return this.#endCalls(event.id);
			default:
				return [];
		}
	}

	/** The id under which the client knows a call. */
	callId(toolCallId: string, agent: string | undefined): string {
		const child = [...this.#agents].findLast(([id, name]) => agent === id || agent === name)?.[0];
		return idOf(toolCallId, child);
	}

	/** Whether the client knows the call, and it has not ended. */
	isOpen(id: string): boolean {
		return this.#open.has(id);
	}

	/** Makes a call known that no event has announced. */
	announce(id: string, call: ShownCall, status: "pending" | "in_progress" = "pending"): acp.SessionUpdate[] {
		if (this.#open.has(id)) return [];
		this.#open.set(id, { ...call, id });
		const described = describedCall(call);
		const terminal = described.kind === "execute" ? this.#terminals?.start(id, call.cwd) : undefined;
		return [{ sessionUpdate: "tool_call", toolCallId: id, status, ...described, ...terminal }];
	}

	/** The same for a question that is about no call. */
	announceAs(id: string, { title, kind }: Pick<acp.ToolCallUpdate, "title" | "kind">): acp.SessionUpdate[] {
		this.#open.set(id, { id, toolName: "", args: {}, cwd: this.#options.cwd() });
		return [
			{
				sessionUpdate: "tool_call",
				toolCallId: id,
				status: "pending",
				title: title ?? "Question",
				kind: kind ?? "other",
			},
		];
	}

	/** Ends a call that no event will end. */
	end(id: string, status: "completed" | "failed"): acp.SessionUpdate[] {
		return this.#open.delete(id) ? [{ sessionUpdate: "tool_call_update", toolCallId: id, status }] : [];
	}

	#streamed(event: EventFrameOf<"message_update">["assistantMessageEvent"]): acp.SessionUpdate[] {
		if (event.type === "text_delta") return [chunk("agent_message_chunk", event.delta, this.#messageId)];
		if (event.type === "thinking_delta") return [chunk("agent_thought_chunk", event.delta, this.#messageId)];
		// Long arguments take a while: the client sees at once which tool they are for.
		if (event.type === "toolcall_start" && event.id !== "")
			return this.announce(event.id, { toolName: event.name, args: {}, cwd: this.#options.cwd() });
		return [];
	}

	#userMessage(message: WireMessage): acp.SessionUpdate[] {
		// A name that expands to a prompt is sent as it was typed.
		const texts = [textOf("content" in message ? message : {}), userTextOf(message)];
		const isOwn = texts.some((text) => this.#options.isOwnMessage(text));
		return isOwn ? [] : replayedMessage(message, this.#messageId, this.#options.cwd());
	}

	#call(event: CallEvent, child: string | undefined): acp.SessionUpdate[] {
		const id = idOf(event.toolCallId, child);
		const known = this.#open.get(id);
		const agent = child === undefined ? undefined : (this.#agents.get(child) ?? child);
		const args = "args" in event ? event.args : (known?.args ?? {});
		const call: OpenCall = { id, toolName: event.toolName, args, cwd: this.#options.cwd(), agent };
		const terminals = this.#terminals?.has(id) ? this.#terminals : undefined;
		if (event.type === "tool_execution_start") {
			const made = this.announce(id, call, "in_progress");
			this.#open.set(id, call);
			return made.length > 0 ? made : [update(id, { status: "in_progress", ...describedCall(call) })];
		}
		if (event.type === "tool_execution_update") {
			const { partialResult } = event;
			const shown = terminals?.output(id, partialResult) ?? { content: resultContent(partialResult, call) };
			return known ? [update(id, shown)] : [];
		}
		const before = known ? [] : this.announce(id, call);
		this.#open.delete(id);
		const { result, isError } = event;
		const locations = changedLocations(result, describedCall(call).locations);
		return [
			...before,
			update(id, {
				status: isError ? "failed" : "completed",
				...(terminals?.end(id, result, isError) ?? { content: resultContent(result, call) }),
				...(locations ? { locations } : {}),
			}),
		];
	}

	/** What an agent says is in the result of the call that opened it; its calls are shown beside. */
	#ofChild(child: string, event: EventFrame): acp.SessionUpdate[] {
		if (event.type === "child_started") this.#agents.set(event.id, event.name);
		if (event.type === "child_event") return this.#ofChild(event.id, event.event);
		const isCall =
			event.type === "tool_execution_start" ||
			event.type === "tool_execution_update" ||
			event.type === "tool_execution_end";
		return isCall ? this.#call(event, child) : [];
	}

	/** Calls that were announced and never ran, or were interrupted. */
	#endCalls(child?: string): acp.SessionUpdate[] {
		const ids = [...this.#open.keys()].filter((id) => child === undefined || id.startsWith(`${child}/`));
		return ids.flatMap((id) => this.end(id, "failed"));
	}
}

function idOf(toolCallId: string, child: string | undefined): string {
	return child === undefined ? toolCallId : `${child}/${toolCallId}`;
}

function update(toolCallId: string, fields: Omit<acp.ToolCallUpdate, "toolCallId">): acp.SessionUpdate {
	return { sessionUpdate: "tool_call_update", toolCallId, ...fields };
}

function chunk(
	sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
	text: string,
	messageId: string,
): acp.SessionUpdate {
	return { sessionUpdate, content: { type: "text", text }, messageId };
}

/** A text for the user beside the conversation. */
export function notice(text: string): acp.SessionUpdate {
	return chunk("agent_message_chunk", `${text}\n\n`, uuidv7());
}

export function planOf(phases: readonly TodoPhase[]): acp.SessionUpdate {
	const entries = phases.flatMap(({ tasks }) =>
		tasks.flatMap(({ content, status }): acp.PlanEntry[] =>
			status === "abandoned" ? [] : [{ content, status, priority: "medium" }],
		),
	);
	return { sessionUpdate: "plan", entries };
}

/** The history of a session, oldest first. */
export function replayed(entries: readonly Entry[], cwd: string): acp.SessionUpdate[] {
	const updates = entries.flatMap((entry): acp.SessionUpdate[] => {
		if (entry.type === "message") return replayedMessage(entry["message"] as WireMessage, entry.id, cwd);
		if (entry.type === "custom_message") return shownMessage(entry as unknown as CustomMessage, entry.id);
		if (entry.type === "session_info" && typeof entry["name"] === "string")
			return [{ sessionUpdate: "session_info_update", title: entry["name"], updatedAt: entry.timestamp }];
		return [];
	});
	const ended = new Set(
		updates.flatMap((each) => (each.sessionUpdate === "tool_call_update" ? [each.toolCallId] : [])),
	);
	// A call that was interrupted has no result.
	return updates.map((each) =>
		each.sessionUpdate === "tool_call" && each.status === "pending" && !ended.has(each.toolCallId)
			? { ...each, status: "failed" }
			: each,
	);
}

type CustomMessage = Pick<Extract<WireMessage, { role: "custom" }>, "content" | "display">;

function shownMessage({ content, display }: CustomMessage, id: string): acp.SessionUpdate[] {
	return display ? [chunk("agent_message_chunk", textOf({ content }), id)] : [];
}

function replayedMessage(message: WireMessage, id: string, cwd: string): acp.SessionUpdate[] {
	switch (message.role) {
		case "user": {
			const images =
				typeof message.content === "string" ? [] : message.content.filter((part) => part.type === "image");
			const text = userTextOf(message);
			return [
				...(text === "" ? [] : [chunk("user_message_chunk", text, id)]),
				...images.map(({ data, mimeType }): acp.SessionUpdate => ({
					sessionUpdate: "user_message_chunk",
					content: { type: "image", data, mimeType },
					messageId: id,
				})),
			];
		}
		case "assistant":
			return message.content.flatMap((block): acp.SessionUpdate[] => {
				if (block.type === "text")
					return block.text === "" ? [] : [chunk("agent_message_chunk", block.text, id)];
				if (block.type === "thinking")
					return block.thinking === "" ? [] : [chunk("agent_thought_chunk", block.thinking, id)];
				const call = describedCall({ toolName: block.name, args: block.arguments, cwd });
				return [{ sessionUpdate: "tool_call", toolCallId: block.id, status: "pending", ...call }];
			});
		case "toolResult": {
			const { toolCallId, toolName, isError } = message;
			const content = resultContent(message, { toolName, args: {}, cwd });
			return [update(toolCallId, { status: isError ? "failed" : "completed", content })];
		}
		case "bashExecution":
		case "pythonExecution": {
			const command = message.role === "bashExecution" ? message.command : message.code;
			const isDone = message.exitCode === 0 && !message.cancelled;
			return [
				{
					sessionUpdate: "tool_call",
					toolCallId: id,
					title: oneLine(command, limits.titleChars),
					kind: "execute",
					status: isDone ? "completed" : "failed",
					content: [textContent(fenced(`$ ${command}\n${message.output}`, "console"))],
				},
			];
		}
		default:
			return [];
	}
}

function textOf({ content }: { content?: unknown }): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	const parts = content as readonly { type?: unknown; text?: unknown }[];
	return parts.map((part) => (part.type === "text" ? String(part.text) : "")).join("");
}

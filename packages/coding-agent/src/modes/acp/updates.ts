/** Turns what happens in a session, and what has happened in it, into the updates of the protocol. */
import type * as acp from "@agentclientprotocol/sdk/unstable";
import { fenced, oneLine, uuidv7 } from "@tau/utils";
import {
	userTextOf,
	type Entry,
	type EventFrame,
	type EventFrameOf,
	type TodoPhase,
	type WireMessage,
} from "@tau/wire";

import { limits } from "./limits.ts";
import type { CommandTerminals } from "./terminals.ts";
import { describedCall, resultOf, textContent, type ShownCall } from "./tool-calls.ts";

type CallEvent = EventFrameOf<"tool_execution_start" | "tool_execution_update" | "tool_execution_end">;

/** A call that the client knows of and that has not ended. */
interface OpenCall extends ShownCall {
	/** The call that it is a part of: the one that opened its agent, or that made it. */
	readonly parentId?: string | undefined;
}

export interface UpdatesOptions {
	cwd(): string;
	/** Where the client shows the output of commands; absent where it is text. */
	terminals?: CommandTerminals | undefined;
	/** Whether the user's message came from this client, which shows it already. */
	isOwnMessage(text: string): boolean;
}

/** The updates of one session, in order. */
export class Updates {
	readonly #options: UpdatesOptions;
	readonly #open = new Map<string, OpenCall>();
	/** By their ids: their names, and the calls that have opened them. */
	readonly #agents = new Map<string, { readonly name: string; readonly parentId?: string | undefined }>();
	#messageId = uuidv7();

	constructor(options: UpdatesOptions) {
		this.#options = options;
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
				return this.endCalls();
			case "child_started":
				return this.#began(event, undefined);
			case "child_event":
				return this.#ofChild(event.id, event.event);
			case "child_ended":
				return this.endCalls(event.id);
			default:
				return [];
		}
	}

	/** The id under which the client knows a call. */
	callId(toolCallId: string, agent: string | undefined): string {
		const child = [...this.#agents].findLast(([id, { name }]) => agent === id || agent === name)?.[0];
		return idOf(toolCallId, child);
	}

	/** Whether the client knows the call, and it has not ended. */
	isOpen(id: string): boolean {
		return this.#open.has(id);
	}

	/** Makes a call known that no event has announced. */
	announce(id: string, call: OpenCall, status: "pending" | "in_progress" = "pending"): acp.SessionUpdate[] {
		if (this.#open.has(id)) return [];
		this.#open.set(id, call);
		const described = describedCall(call);
		const isCommand = described.kind === "execute";
		const terminal = isCommand ? this.#options.terminals?.start(id, call.cwd) : undefined;
		const parent = call.parentId === undefined ? undefined : { parentToolCallId: call.parentId };
		const meta = parent || terminal ? { _meta: { ...terminal?._meta, ...parent } } : {};
		return [{ sessionUpdate: "tool_call", toolCallId: id, status, ...described, ...terminal, ...meta }];
	}

	/** The same for a question that is about no call. */
	announceAs(id: string, { title, kind }: Pick<acp.ToolCallUpdate, "title" | "kind">): acp.SessionUpdate[] {
		this.#open.set(id, { toolName: "", args: {}, cwd: this.#options.cwd() });
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
		if (!this.#open.delete(id)) return [];
		this.#options.terminals?.end(id, { content: [] }, status === "failed");
		return [{ sessionUpdate: "tool_call_update", toolCallId: id, status }];
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
		const opener = child === undefined ? undefined : this.#agents.get(child);
		const caller = event.parentToolCallId;
		const call: OpenCall = {
			toolName: event.toolName,
			args: "args" in event ? event.args : (known?.args ?? {}),
			cwd: this.#options.cwd(),
			agent: opener?.name ?? child,
			parentId: caller === undefined ? opener?.parentId : idOf(caller, child),
		};
		const { terminals } = this.#options;
		const isCommand = describedCall(call).kind === "execute";
		if (event.type === "tool_execution_start") {
			const made = this.announce(id, call, "in_progress");
			this.#open.set(id, call);
			return made.length > 0 ? made : [update(id, { status: "in_progress", ...describedCall(call) })];
		}
		if (event.type === "tool_execution_update") {
			if (!known) return [];
			const shown = isCommand ? terminals?.output(id, event.partialResult, call.cwd) : undefined;
			return [update(id, shown ?? resultOf(event.partialResult, call))];
		}
		const before = known ? [] : this.announce(id, call);
		this.#open.delete(id);
		const { result, isError } = event;
		const status = isError ? "failed" : "completed";
		return [
			...before,
			update(id, { status, ...resultOf(result, call), ...terminals?.end(id, result, isError) }),
		];
	}

	#began(
		{ id, name, toolCallId }: EventFrameOf<"child_started">,
		parent: string | undefined,
	): acp.SessionUpdate[] {
		this.#agents.set(id, { name, parentId: toolCallId === undefined ? undefined : idOf(toolCallId, parent) });
		return [];
	}

	/** What an agent says is in the result of the call that opened it; its calls are shown beside. */
	#ofChild(child: string, event: EventFrame): acp.SessionUpdate[] {
		if (event.type === "child_started") return this.#began(event, child);
		if (event.type === "child_event") return this.#ofChild(event.id, event.event);
		const isCall =
			event.type === "tool_execution_start" ||
			event.type === "tool_execution_update" ||
			event.type === "tool_execution_end";
		return isCall ? this.#call(event, child) : [];
	}

	/** Calls that were announced and never ran, or were interrupted. */
	endCalls(child?: string): acp.SessionUpdate[] {
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
			const { content } = resultOf(message, { toolName, args: {}, cwd });
			return [
				update(toolCallId, { status: isError ? "failed" : "completed", ...(content ? { content } : {}) }),
			];
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

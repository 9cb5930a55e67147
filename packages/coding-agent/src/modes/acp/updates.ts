/** Turns what happens in a session, and what has happened in it, into the updates of the protocol. */
import type * as acp from "@agentclientprotocol/sdk/unstable";
import { Calls, type CallStep } from "@tau/server/adapters";
import { fenced, isRecord, oneLine, uuidv7 } from "@tau/utils";
import { userTextOf, type Entry, type EventFrame, type TodoPhase, type WireMessage } from "@tau/wire";

import { limits } from "./limits.ts";
import type { CommandTerminals } from "./terminals.ts";
import { describedCall, resultOf, textContent } from "./tool-calls.ts";

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
	/** Those that the client knows of. */
	readonly calls: Calls;
	#messageId = uuidv7();

	constructor(options: UpdatesOptions) {
		this.#options = options;
		this.calls = new Calls(options.cwd);
	}

	of(event: EventFrame): acp.SessionUpdate[] {
		return [...this.#said(event), ...this.shown(this.calls.of(event))];
	}

	/** A question that is about no call is shown as one. */
	announce(id: string, { title, kind }: Pick<acp.ToolCallUpdate, "title" | "kind">): acp.SessionUpdate[] {
		this.calls.begin(id, { toolName: "", args: {}, cwd: this.#options.cwd() });
		const shown = { title: title ?? "Question", kind: kind ?? "other" };
		return [{ sessionUpdate: "tool_call", toolCallId: id, status: "pending", ...shown }];
	}

	shown(steps: readonly CallStep[]): acp.SessionUpdate[] {
		return steps.map((step) => this.#step(step));
	}

	#said(event: EventFrame): acp.SessionUpdate[] {
		switch (event.type) {
			case "message_start":
				this.#messageId = uuidv7();
				return event.message.role === "user" ? this.#userMessage(event.message) : [];
			case "message_update": {
				const { assistantMessageEvent: part } = event;
				if (part.type === "text_delta") return [chunk("agent_message_chunk", part.delta, this.#messageId)];
				const isThought = part.type === "thinking_delta";
				return isThought ? [chunk("agent_thought_chunk", part.delta, this.#messageId)] : [];
			}
			case "message_end":
				return event.message.role === "custom" ? shownMessage(event.message, this.#messageId) : [];
			case "user_command_end":
				return replayedMessage(event.message, uuidv7(), this.#options.cwd());
			default:
				return [];
		}
	}

	#userMessage(message: WireMessage): acp.SessionUpdate[] {
		// A name that expands to a prompt is sent as it was typed.
		const texts = [textOf("content" in message ? message : {}), userTextOf(message)];
		const isOwn = texts.some((text) => this.#options.isOwnMessage(text));
		return isOwn ? [] : replayedMessage(message, this.#messageId, this.#options.cwd());
	}

	#step(step: CallStep): acp.SessionUpdate {
		const { terminals } = this.#options;
		const { id } = step;
		if (step.kind === "dropped") {
			terminals?.end(id, { content: [] }, step.isError);
			return update(id, { status: step.isError ? "failed" : "completed" });
		}
		const described = describedCall(step.call);
		const isCommand = described.kind === "execute";
		if (step.kind === "running") return update(id, { status: "in_progress", ...described });
		if (step.kind === "output") {
			const shown = isCommand ? terminals?.output(id, step.result, step.call.cwd) : undefined;
			return update(id, shown ?? resultOf(step.result, step.call));
		}
		if (step.kind === "ended") {
			const shown = { ...resultOf(step.result, step.call), ...terminals?.end(id, step.result, step.isError) };
			return update(id, { status: step.isError ? "failed" : "completed", ...shown });
		}
		const { call, isRunning } = step;
		const terminal = isCommand ? terminals?.start?.(id, call.cwd) : undefined;
		const parent = call.parentId === undefined ? undefined : { parentToolCallId: call.parentId };
		const meta = parent || terminal ? { _meta: { ...terminal?._meta, ...parent } } : {};
		const status = isRunning ? "in_progress" : "pending";
		return { sessionUpdate: "tool_call", toolCallId: id, status, ...described, ...terminal, ...meta };
	}
}

function update(toolCallId: string, fields: Omit<acp.ToolCallUpdate, "toolCallId">): acp.SessionUpdate {
	return { sessionUpdate: "tool_call_update", toolCallId, ...fields };
}

type ChunkKind = "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";
type TextChunk = acp.SessionUpdate & { sessionUpdate: ChunkKind; content: { type: "text"; text: string } };

function chunk(sessionUpdate: ChunkKind, text: string, messageId: string): acp.SessionUpdate {
	return { sessionUpdate, content: { type: "text", text }, messageId };
}

/** A piece of a text that others may be added to. */
export function isChunk(said: acp.SessionUpdate): said is TextChunk {
	return "content" in said && isRecord(said.content) && said.content.type === "text";
}

/** Two pieces of one text; undefined where they are not. */
export function joined(open: acp.SessionUpdate, next: acp.SessionUpdate): acp.SessionUpdate | undefined {
	if (!isChunk(open) || !isChunk(next) || open.sessionUpdate !== next.sessionUpdate) return undefined;
	if (open.messageId !== next.messageId) return undefined;
	return { ...open, content: { ...open.content, text: open.content.text + next.content.text } };
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
					content: { type: mimeType.startsWith("audio/") ? "audio" : "image", data, mimeType },
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

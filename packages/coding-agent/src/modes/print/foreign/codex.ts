/** The lines of `codex exec --json`: a thread, its turns, and what the model did in them as items. */
import type { AssistantMessage, ToolResultMessage } from "@tau/ai";
import type { SessionEvent } from "@tau/session";

import type { Output } from "../../output.ts";
import { touchesOf, type TouchingCall } from "@tau/session-commands/shared/shown-call";
import type { Printer, PrintOutcome } from "../run-print.ts";
import { reasonOf } from "./claude.ts";

export interface CodexPrinterOptions {
	out: Output;
	facts(): { sessionId: string; cwd: string };
}

interface Item {
	readonly id: string;
	readonly call: TouchingCall;
}

export function codexPrinter({ out, facts }: CodexPrinterOptions): Printer {
	const line = (value: object): void | Promise<void> => out.write(`${JSON.stringify(value)}\n`);
	const items = new Map<string, Item>();
	let made = 0;
	let isAnnounced = false;
	let usage = noUsage();
	const nextId = (): string => `item_${made++}`;
	const begin = (): void | Promise<void> => {
		if (!isAnnounced) void line({ type: "thread.started", thread_id: facts().sessionId });
		isAnnounced = true;
		usage = noUsage();
		return line({ type: "turn.started" });
	};
	const answer = (message: AssistantMessage): void => {
		usage = addUsage(usage, message);
		for (const part of message.content) {
			if (part.type === "toolCall") continue;
			const [type, text] = part.type === "text" ? ["agent_message", part.text] : ["reasoning", part.thinking];
			if (text !== "") void line({ type: "item.completed", item: { id: nextId(), type, text } });
		}
	};
	const onEvent = (event: SessionEvent): void | Promise<void> => {
		switch (event.type) {
			case "agent_start":
				return begin();
			case "message_end":
				return event.message.role === "assistant" ? answer(event.message) : undefined;
			case "tool_execution_start": {
				const call = { toolName: event.toolName, args: event.args, cwd: facts().cwd };
				const item = { id: nextId(), call };
				items.set(event.toolCallId, item);
				return line({ type: "item.started", item: itemOf(item) });
			}
			case "tool_execution_end": {
				const item = items.get(event.toolCallId);
				items.delete(event.toolCallId);
				return item && line({ type: "item.completed", item: itemOf(item, event) });
			}
			case "notice":
				if (event.level !== "warning") return undefined;
				return line({
					type: "item.completed",
					item: { id: nextId(), type: "error", message: event.message },
				});
			default:
				return undefined;
		}
	};
	return {
		onEvent,
		end: () => {},
		conclude: (outcome) => line(ending(outcome, usage)),
	};
}

function ending(outcome: PrintOutcome, usage: object): object {
	if (outcome.kind === "answered") return { type: "turn.completed", usage };
	return { type: "turn.failed", error: { message: reasonOf(outcome) } };
}

type Ended = Pick<Extract<SessionEvent, { type: "tool_execution_end" }>, "result" | "isError">;

/** What a call does decides which item it is; without a result it has only begun. */
function itemOf({ id, call }: Item, ended?: Ended): object {
	const status = ended ? (ended.isError ? "failed" : "completed") : "in_progress";
	const touches = touchesOf(call);
	const commands = touches.flatMap((touch) => (touch.kind === "exec" ? [touch.command] : []));
	if (commands.length > 0) {
		const exitCode = ended && exitCodeOf(ended);
		const output = ended ? textOf(ended.result.content) : "";
		const command = commands.join("\n");
		return {
			id,
			type: "command_execution",
			command,
			aggregated_output: output,
			exit_code: exitCode ?? null,
			status,
		};
	}
	const changes = touches.flatMap((touch) => {
		if (touch.kind === "delete") return [{ path: touch.path, kind: "delete" }];
		return touch.kind === "write" ? [{ path: touch.path, kind: "update" }] : [];
	});
	if (changes.length > 0) return { id, type: "file_change", changes, status };
	const { toolName: tool, args } = call;
	const result = ended && !ended.isError ? { content: ended.result.content, structured_content: null } : null;
	const error = ended?.isError ? { message: textOf(ended.result.content) } : null;
	return { id, type: "mcp_tool_call", server: "tau", tool, arguments: args, result, error, status };
}

/** A command that ran says its code in the details; one that failed to run has none. */
function exitCodeOf({ result, isError }: Ended): number | undefined {
	const { details } = result as { details?: { exitCode?: unknown } };
	if (typeof details?.exitCode === "number") return details.exitCode;
	return isError ? undefined : 0;
}

function textOf(content: ToolResultMessage["content"]): string {
	return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

interface CodexUsage {
	readonly input_tokens: number;
	readonly cached_input_tokens: number;
	readonly output_tokens: number;
}

function noUsage(): CodexUsage {
	return { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 };
}

/** Codex counts what came from the cache as input as well. */
function addUsage(sum: CodexUsage, { usage }: AssistantMessage): CodexUsage {
	return {
		input_tokens: sum.input_tokens + usage.input + usage.cacheRead + usage.cacheWrite,
		cached_input_tokens: sum.cached_input_tokens + usage.cacheRead,
		output_tokens: sum.output_tokens + usage.output,
	};
}

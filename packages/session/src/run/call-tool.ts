/** Calls a tool outside of the model's turn: with the session's gates and events. */
import { runTools, type AgentTool, type AgentToolResult, type ToolGate } from "@tau/agent";

import type { SessionEvent } from "./behavior.ts";

export interface ToolCaller {
	/** Of the session, for each call anew. */
	gates(): Iterable<ToolGate>;
	callable(): readonly AgentTool[];
	emit(event: SessionEvent): Promise<void>;
}

export interface DirectCall {
	id: string;
	name: string;
	args: unknown;
	signal: AbortSignal;
	/** The call that makes this one. */
	parentId?: string | undefined;
	/** Only asks whether the tool may run: the caller does itself what the tool would do. */
	checksOnly?: boolean | undefined;
	onUpdate?: ((partial: AgentToolResult) => void) | undefined;
}

/** Never rejects: a call that fails or is denied has a result that says so. */
export async function callTool(caller: ToolCaller, call: DirectCall): Promise<AgentToolResult> {
	const { id, name, args, signal, parentId, checksOnly = false, onUpdate } = call;
	let result: AgentToolResult | undefined;
	let emitted: Promise<void> = Promise.resolve();
	const isRecord = typeof args === "object" && args !== null && !Array.isArray(args);
	const parent = parentId === undefined ? {} : { parentToolCallId: parentId };
	await runTools([{ type: "toolCall", id, name, arguments: isRecord ? { ...args } : {} }], {
		context: { tools: checksOnly ? caller.callable().map(checked) : [...caller.callable()] },
		config: { toolGates: () => caller.gates() },
		signal,
		drained: () => emitted,
		emit(event) {
			if (event.type === "tool_execution_update") onUpdate?.(event.partialResult);
			if (event.type === "tool_execution_end") ({ result } = event);
			if (!event.type.startsWith("tool_execution_")) return;
			emitted = emitted.then(() => caller.emit({ ...event, ...parent } as SessionEvent));
		},
	});
	await emitted;
	return result ?? failedResult(`${name} gave no result.`);
}

/** A tool that passes everything a call has to pass, and does nothing. */
function checked(tool: AgentTool): AgentTool {
	const execute: AgentTool["execute"] = async () => ({ content: [{ type: "text", text: "Allowed." }] });
	return Object.create(tool, { execute: { value: execute } }) as AgentTool;
}

export function failedResult(text: string): AgentToolResult {
	return { content: [{ type: "text", text }], isError: true };
}

/** Runs the tool calls of one answer and turns whatever happens into results, in the order of the calls. */
import type { ToolCall, ToolResultMessage } from "@tau/ai";

import type { AgentEvent, AgentTool, AgentToolResult } from "./types.ts";

type Emit = (event: AgentEvent) => void;

export async function runTools(
	calls: readonly ToolCall[],
	tools: readonly AgentTool[],
	signal: AbortSignal,
	emit: Emit,
): Promise<ToolResultMessage[]> {
	const byName = new Map(tools.map((tool) => [tool.name, tool]));
	const results: ToolResultMessage[] = [];
	for (const batch of batches(calls, byName)) {
		results.push(...(await Promise.all(batch.map((call) => runOne(call, byName, signal, emit)))));
	}
	return results;
}

/** Neighbours that may share run together; an exclusive call is a batch of its own. */
function batches(calls: readonly ToolCall[], tools: ReadonlyMap<string, AgentTool>): ToolCall[][] {
	const out: ToolCall[][] = [];
	let open: ToolCall[] | undefined;
	for (const call of calls) {
		const alone = tools.get(call.name)?.concurrency === "exclusive";
		if (open && !alone) open.push(call);
		else out.push((open = [call]));
		if (alone) open = undefined;
	}
	return out;
}

async function runOne(
	call: ToolCall,
	tools: ReadonlyMap<string, AgentTool>,
	signal: AbortSignal,
	emit: Emit,
): Promise<ToolResultMessage> {
	const { id: toolCallId, name: toolName, arguments: args } = call;
	emit({ type: "tool_execution_start", toolCallId, toolName, args });
	const result = await execute(call, tools, signal, (partialResult) =>
		emit({ type: "tool_execution_update", toolCallId, toolName, args, partialResult }),
	);
	const isError = result.isError === true;
	emit({ type: "tool_execution_end", toolCallId, toolName, result, isError });
	return {
		role: "toolResult",
		toolCallId,
		toolName,
		content: result.content,
		...(result.details === undefined ? {} : { details: result.details }),
		isError,
		timestamp: Date.now(),
	};
}

async function execute(
	call: ToolCall,
	tools: ReadonlyMap<string, AgentTool>,
	signal: AbortSignal,
	onUpdate: (partial: AgentToolResult) => void,
): Promise<AgentToolResult> {
	if (signal.aborted) return refusal("Not run: the user stopped the turn.");
	const tool = tools.get(call.name);
	if (!tool) {
		return refusal(`There is no tool "${call.name}". Available: ${[...tools.keys()].join(", ") || "none"}.`);
	}
	if (call.malformed !== undefined) {
		return refusal(`The arguments of ${call.name} could not be read: ${call.malformed}. Send them again.`);
	}
	const valid = tool.validate(call.arguments);
	if (!valid.ok) return refusal(`Bad arguments for ${call.name}: ${valid.reason}`);
	let open = true;
	try {
		// A tool that reports after its result is told nothing: the event order is a promise.
		return await tool.execute(call.id, valid.value, signal, (partial) => open && onUpdate(partial));
	} catch (error) {
		if (signal.aborted) return refusal("Stopped by the user.");
		return refusal(error instanceof Error ? error.message : String(error));
	} finally {
		open = false;
	}
}

function refusal(text: string): AgentToolResult {
	return { content: [{ type: "text", text }], isError: true };
}

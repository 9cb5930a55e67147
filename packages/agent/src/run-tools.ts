/** Runs the tool calls of one answer and turns whatever happens into results, in the order of the calls. */
import type { ToolCall, ToolResultMessage } from "@tau/ai";
import { listen, timer } from "@tau/utils";

import { limits } from "./limits.ts";
import { reasonOf } from "./reason.ts";
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
	let open = true;
	try {
		const valid = tool.validate(call.arguments);
		if (!valid.ok) return refusal(`Bad arguments for ${call.name}: ${valid.reason}`);
		// A tool that reports after its result is told nothing: the event order is a promise.
		const work = tool.execute(call.id, valid.value, signal, (partial) => open && onUpdate(partial));
		return await withinGrace(work, signal);
	} catch (error) {
		return refusal(signal.aborted ? "Stopped by the user." : reasonOf(error));
	} finally {
		open = false;
	}
}

/** Rejects when the work goes on for too long after an abort: a tool that does not listen cannot hold the turn. */
async function withinGrace<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
	using owned = new DisposableStack();
	const overdue = Promise.withResolvers<never>();
	const count = (): void => {
		owned.use(timer(limits.abortGraceMs, () => overdue.reject(signal.reason)));
	};
	if (signal.aborted) count();
	else owned.use(listen(signal, "abort", count));
	return await Promise.race([work, overdue.promise]);
}

function refusal(text: string): AgentToolResult {
	return { content: [{ type: "text", text }], isError: true };
}

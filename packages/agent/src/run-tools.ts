/** Runs the tool calls of one answer and turns whatever happens into results, in the order of the calls. */
import type { ToolCall, ToolResultMessage } from "@tau/ai";
import { listen, timer } from "@tau/utils";

import { limits } from "./limits.ts";
import { reasonOf } from "./reason.ts";
import type { AgentContext, AgentEvent, AgentLoopConfig, AgentTool, AgentToolResult } from "./types.ts";

/** What running the calls of an answer needs of a run. */
export interface ToolRun {
	context: Pick<AgentContext, "tools">;
	config: Pick<AgentLoopConfig, "steering" | "beforeToolCall" | "afterToolCall">;
	signal: AbortSignal;
	emit(event: AgentEvent): void;
}

export async function runTools(calls: readonly ToolCall[], run: ToolRun): Promise<ToolResultMessage[]> {
	const tools = new Map(run.context.tools.map((tool) => [tool.name, tool]));
	const results: ToolResultMessage[] = [];
	for (const batch of batches(calls, tools)) {
		// The user has something to say: what has not begun would be work for a plan that is about to change.
		const steered = results.length > 0 && (run.config.steering?.waiting ?? 0) > 0;
		results.push(...(await Promise.all(batch.map((call) => runOne(call, tools, run, steered)))));
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
	run: ToolRun,
	steered: boolean,
): Promise<ToolResultMessage> {
	const { id: toolCallId, name: toolName, arguments: args } = call;
	run.emit({ type: "tool_execution_start", toolCallId, toolName, args });
	const result = steered
		? refusal("Skipped: the user sent a new message before this call started.")
		: await execute(call, tools, run);
	const isError = result.isError === true;
	run.emit({ type: "tool_execution_end", toolCallId, toolName, result, isError });
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
	run: ToolRun,
): Promise<AgentToolResult> {
	const { signal } = run;
	if (signal.aborted) return refusal("Not run: the user interrupted the turn.");
	const tool = tools.get(call.name);
	if (!tool) {
		return refusal(`There is no tool "${call.name}". Available: ${[...tools.keys()].join(", ") || "none"}.`);
	}
	if (call.malformed !== undefined) {
		return refusal(`Invalid arguments for ${call.name}: ${call.malformed}. Send them again.`);
	}
	try {
		const valid = tool.validate(call.arguments);
		if (!valid.ok) return refusal(`Bad arguments for ${call.name}: ${valid.reason}`);
		const blocked = await blockedBy(call, valid.value, run);
		if (blocked !== undefined) return refusal(blocked);
		const result = withNotes(await perform(tool, call, valid.value, run), valid.notes);
		return (await run.config.afterToolCall?.(call, result, signal)) ?? result;
	} catch (error) {
		return refusal(failureOf(error, signal));
	}
}

function failureOf(error: unknown, signal: AbortSignal): string {
	return signal.aborted ? "Interrupted by the user." : reasonOf(error);
}

/** Why a hook does not let the call run. A hook that fails has not said yes. */
async function blockedBy(
	call: ToolCall,
	args: Record<string, unknown>,
	{ config, signal }: ToolRun,
): Promise<string | undefined> {
	try {
		const verdict = await config.beforeToolCall?.(call, args, signal);
		return verdict?.block ? (verdict.reason ?? `${call.name} was blocked.`) : undefined;
	} catch (error) {
		return `${call.name} was not run, because a check failed: ${reasonOf(error)}`;
	}
}

async function perform(
	tool: AgentTool,
	{ id: toolCallId, name: toolName, arguments: args }: ToolCall,
	params: Record<string, unknown>,
	run: ToolRun,
): Promise<AgentToolResult> {
	let open = true;
	try {
		const work = tool.execute(toolCallId, params, run.signal, (partialResult) => {
			// A tool that reports after its result is told nothing: the event order is a promise.
			if (open) run.emit({ type: "tool_execution_update", toolCallId, toolName, args, partialResult });
		});
		return await withinGrace(work, run.signal);
	} catch (error) {
		// A failure is a result like any other: whoever looks at results sees it too.
		return refusal(failureOf(error, run.signal));
	} finally {
		open = false;
	}
}

/** The model reads how its arguments were taken, so that it gets them right the next time. */
function withNotes(result: AgentToolResult, notes: readonly string[] = []): AgentToolResult {
	if (notes.length === 0) return result;
	return { ...result, content: [...result.content, { type: "text", text: `(${notes.join("; ")})` }] };
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

/** Lets a tool of an extension call other tools: with their checks, their events, and a bound on the depth. */
import { runTools, type AgentTool, type AgentToolResult, type ToolGate } from "@tau/agent";
import type { SessionEvent } from "@tau/session";

import type { NestedCalls, NestedOutcome } from "../api/tool-reach.ts";
import { limits } from "../support/limits.ts";

export interface NestedCallParts {
	/** Of the session, for each call anew. */
	gates(): Iterable<ToolGate>;
	callable(): readonly AgentTool[];
	emit(event: SessionEvent): Promise<void>;
	/** The calls that run, each with the call that made it. */
	parents: Map<string, string>;
}

/** The calls of one call. */
export function nestedCalls(parts: NestedCallParts, parentId: string, outer: AbortSignal): NestedCalls {
	let count = 0;
	return {
		get tools() {
			return parts.callable();
		},
		async executeTool(name, args, { signal = outer, onUpdate } = {}) {
			const id = `${parentId}/${++count}`;
			if (depthOf(id, parts.parents, parentId) > limits.nestedCalls)
				return outcome(
					id,
					failure(`Tools that call tools are nested ${limits.nestedCalls} deep: ${name} was not run.`),
				);
			parts.parents.set(id, parentId);
			try {
				return await call({ ...parts, id, parentId, name, args, signal, onUpdate });
			} finally {
				parts.parents.delete(id);
			}
		},
	};
}

interface Call extends NestedCallParts {
	id: string;
	parentId: string;
	name: string;
	args: unknown;
	signal: AbortSignal;
	onUpdate: ((partial: AgentToolResult) => void) | undefined;
}

async function call({ id, parentId, name, args, signal, onUpdate, ...parts }: Call): Promise<NestedOutcome> {
	let result: AgentToolResult | undefined;
	let emitted: Promise<void> = Promise.resolve();
	const isRecord = typeof args === "object" && args !== null && !Array.isArray(args);
	await runTools([{ type: "toolCall", id, name, arguments: isRecord ? { ...args } : {} }], {
		context: { tools: [...parts.callable()] },
		config: { toolGates: () => parts.gates() },
		signal,
		drained: () => emitted,
		emit(event) {
			if (event.type === "tool_execution_update") onUpdate?.(event.partialResult);
			if (event.type === "tool_execution_end") ({ result } = event);
			if (!event.type.startsWith("tool_execution_")) return;
			emitted = emitted.then(() => parts.emit({ ...event, parentToolCallId: parentId } as SessionEvent));
		},
	});
	await emitted;
	return outcome(id, result ?? failure(`${name} gave no result.`));
}

function outcome(toolCallId: string, result: AgentToolResult): NestedOutcome {
	return { ...result, toolCallId, result, isError: result.isError === true };
}

function failure(text: string): AgentToolResult {
	return { content: [{ type: "text", text }], isError: true };
}

function depthOf(id: string, parents: ReadonlyMap<string, string>, parentId: string): number {
	let depth = 1;
	for (let at = parents.get(parentId); at !== undefined && at !== id; at = parents.get(at)) depth++;
	return depth;
}

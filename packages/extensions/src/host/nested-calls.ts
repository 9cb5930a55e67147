/** Lets a tool of an extension call other tools: with their checks, their events, and a bound on the depth. */
import type { AgentToolResult } from "@tau/agent";
import { callTool, failedResult, type ToolCaller } from "@tau/session/run";

import type { NestedCalls, NestedOutcome } from "../api/tool-reach.ts";
import { limits } from "../support/limits.ts";

export interface NestedCallParts extends ToolCaller {
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
					failedResult(`Tools that call tools are nested ${limits.nestedCalls} deep: ${name} was not run.`),
				);
			parts.parents.set(id, parentId);
			try {
				return outcome(id, await callTool(parts, { id, parentId, name, args, signal, onUpdate }));
			} finally {
				parts.parents.delete(id);
			}
		},
	};
}

function outcome(toolCallId: string, result: AgentToolResult): NestedOutcome {
	return { ...result, toolCallId, result, isError: result.isError === true };
}

function depthOf(id: string, parents: ReadonlyMap<string, string>, parentId: string): number {
	let depth = 1;
	for (let at = parents.get(parentId); at !== undefined && at !== id; at = parents.get(at)) depth++;
	return depth;
}

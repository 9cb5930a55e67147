/** Builds the result of a tool. */
import type { AgentToolResult } from "@tau/agent";

export function textResult(text: string, details?: unknown): AgentToolResult {
	return { content: [{ type: "text", text }], ...(details === undefined ? {} : { details }) };
}

export function errorResult(text: string, details?: unknown): AgentToolResult {
	return { ...textResult(text, details), isError: true };
}

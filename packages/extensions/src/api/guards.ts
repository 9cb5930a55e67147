/** Type guards for the events of tools. */
import type { ToolCallEvent, ToolResultEvent } from "./event-types.ts";

/** The arguments of the built-in tools, as far as extensions may rely on them. */
export interface BuiltinToolInputs {
	bash: { command: string; timeout?: number };
	read: { path: string; offset?: number; limit?: number };
	edit: { path: string } & Record<string, unknown>;
	write: { path: string; content: string };
	grep: { pattern: string; path?: string } & Record<string, unknown>;
	find: { pattern: string; path?: string; limit?: number };
	ls: { path?: string; limit?: number };
}

export function isToolCallEventType<N extends keyof BuiltinToolInputs>(
	toolName: N,
	event: ToolCallEvent,
): event is ToolCallEvent<N> & { input: BuiltinToolInputs[N] & Record<string, unknown> };
export function isToolCallEventType<N extends string, I extends Record<string, unknown>>(
	toolName: N,
	event: ToolCallEvent,
): event is ToolCallEvent<N, I>;
export function isToolCallEventType(toolName: string, event: ToolCallEvent): boolean {
	return event.toolName === toolName;
}

const isResultOf =
	<N extends string>(name: N) =>
	(event: ToolResultEvent): event is ToolResultEvent<N> =>
		event.toolName === name;

export const isBashToolResult = isResultOf("bash");
export const isReadToolResult = isResultOf("read");
export const isEditToolResult = isResultOf("edit");
export const isWriteToolResult = isResultOf("write");
export const isGrepToolResult = isResultOf("grep");
export const isFindToolResult = isResultOf("find");
export const isLsToolResult = isResultOf("ls");

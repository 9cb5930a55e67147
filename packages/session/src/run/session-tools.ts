/** The tools of a session as the session sees them; the registry of the tools package implements it. */
import type { AgentTool } from "@tau/agent";

/** The layers that may hide a tool. A tool is visible if no layer hides it. */
export const toolLayers = ["settings", "user", "extension", "mode", "agent", "policy"] as const;
export type ToolLayer = (typeof toolLayers)[number];

/** A tool with what it adds to the system prompt. */
export interface SessionTool extends AgentTool {
	/** One line for the list of tools. */
	readonly promptSnippet?: string;
	/** Guidelines that are in the prompt while the tool is visible. */
	readonly promptGuidelines?: readonly string[];
}

export interface ToolEntry {
	readonly tool: SessionTool;
	/** Where the tool comes from: `builtin`, `custom`, `extension:<path>`, `mcp:<server>`. */
	readonly source: string;
	/** The layers that hide it. */
	readonly hiddenBy: readonly ToolLayer[];
	/** The model has to search for it: it is in no request yet. */
	readonly isDeferred?: boolean;
}

export interface SessionTools {
	/** The tools for the next request. */
	readonly visible: readonly SessionTool[];
	/** Every tool, also the hidden ones. */
	readonly entries: readonly ToolEntry[];
	get(name: string): SessionTool | undefined;
	/** A tool that was called without being declared; waits for a source that may still add it. Undefined if it is hidden. */
	resolve?(name: string, signal: AbortSignal): Promise<SessionTool | undefined>;
	/** Replaces what the layer hides. */
	hide(layer: ToolLayer, names: Iterable<string>): void;
	/** The names that the layer hides, of the registered tools. */
	hidden(layer: ToolLayer): ReadonlySet<string>;
	onChange(listener: () => void): Disposable;
}

/** What a system prompt needs to know of the visible tools. */
export type PromptOfTools = (tools: readonly SessionTool[]) => string;

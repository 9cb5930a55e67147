/** How the model and other tools reach a tool of an extension, in pi's newer fields and calls. */
import type { AgentTool, AgentToolResult, ToolUpdate } from "@tau/agent";

/**
 * `direct`: offered to the model while active, and callable by other tools then. `model-only`: never callable by others.
 * `codemode`, `deferred`: always callable, offered to the model once something activates it. `hidden`: neither.
 */
export type ToolExposure = "direct" | "model-only" | "codemode" | "deferred" | "hidden";

/** Hints that nobody verifies, with the meaning of MCP. */
export interface ToolAnnotations {
	readOnlyHint?: boolean;
	destructiveHint?: boolean;
	idempotentHint?: boolean;
	openWorldHint?: boolean;
}

export interface ToolNamespace {
	name: string;
	aliases?: readonly string[];
	description?: string;
	instructions?: string;
}

export interface ToolReach {
	/** `direct` if absent. */
	exposure?: ToolExposure;
	/** A group of tools. */
	namespace?: ToolNamespace;
	annotations?: ToolAnnotations;
	/** Which tools a call may reach; for extensions that ask `getAllTools`. */
	reachesTools?(input: Record<string, unknown>): "all" | readonly string[];
}

/** The tools of a session, for one that orchestrates them. */
export interface ToolLoadout {
	/** The active ones, with their own descriptions. */
	readonly declared: readonly AgentTool[];
	/** Those that `ctx.executeTool` can call. */
	readonly callable: readonly AgentTool[];
	readonly registered: readonly AgentTool[];
	getExposure(name: string): ToolExposure;
	getNamespace(name: string): ToolNamespace | undefined;
	getPromptGuidelines(name: string): readonly string[];
}

export interface ToolLoadoutChanges {
	/** What the model reads of declared tools, by name. */
	descriptions?: Readonly<Record<string, string>>;
	/** Active tools that requests do not declare; they can still be called. */
	hiddenDeclarations?: readonly string[];
}

/** A result as the calling tool gets it. A failure is a result too. */
export interface NestedOutcome extends AgentToolResult {
	toolCallId: string;
	result: AgentToolResult;
	isError: boolean;
}

/** What a tool can do with other tools while it runs. */
export interface NestedCalls {
	/** Those that `executeTool` can call. */
	readonly tools: readonly AgentTool[];
	/** The call passes the same checks as a call of the model, and is not part of the conversation. Never rejects. */
	executeTool(
		name: string,
		args: unknown,
		options?: { signal?: AbortSignal; onUpdate?: ToolUpdate },
	): Promise<NestedOutcome>;
}

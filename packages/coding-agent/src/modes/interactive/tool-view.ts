/** How a call of a tool and what it gave are drawn: by the tool's own renderer, else in the condensed way. */
import type { AgentToolResult } from "@tau/agent";
import type { Component, Theme } from "@tau/tui";

import type { MessageRenderer } from "../../extensibility/extensions/types.ts";

/** What a renderer knows of the call that it draws; the names are pi's. */
export interface ToolRenderContext {
	args: Record<string, unknown>;
	toolCallId: string;
	/** Asks for this call to be drawn again. */
	invalidate(): void;
	/** What the renderer gave the last time for the same place. */
	lastComponent: Component | undefined;
	/** For the renderer to keep things in, one for each call. */
	state: Record<string, unknown>;
	cwd: string;
	executionStarted: boolean;
	/** The model has said all arguments. */
	argsComplete: boolean;
	/** The tool is still running. */
	isPartial: boolean;
	expanded: boolean;
	showImages: boolean;
	isError: boolean;
	/** How long it has run, in milliseconds; 0 before it began. */
	elapsedMs: number;
	/** The sign of something that runs, as it looks in this frame. */
	spinner: string;
}

/** What a tool's definition may bring along; each part that is missing is drawn in the condensed way. */
export interface ToolRenderer {
	renderCall?(args: Record<string, unknown>, theme: Theme, context: ToolRenderContext): Component;
	renderResult?(
		result: AgentToolResult,
		options: { expanded: boolean; isPartial: boolean },
		theme: Theme,
		context: ToolRenderContext,
	): Component;
}

/** Finds the renderer of a tool. Extensions stand before what is built in. */
export type FindRenderer = (toolName: string) => ToolRenderer | undefined;

/** Finds what draws messages of this kind; nothing where they are drawn as text. */
export type FindMessageRenderer = (customType: string) => MessageRenderer | undefined;

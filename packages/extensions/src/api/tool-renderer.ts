/** The types for rendering tool calls: a renderer's input and its output. The names are pi's where pi has one. */
import type { AgentToolResult } from "@tau/agent";
import type { Component, Keybinding, Theme } from "@tau/tui";

import type { ExtensionContext } from "./types.ts";

/** What pi gives every renderer of a message, an entry or a call. */
export interface RenderHelpers {
	/** `esc cancel`, in the colors of hints. */
	keyHint(keybinding: Keybinding, description: string): string;
	/** The keys of an action: `ctrl+o`. */
	keyText(keybinding: Keybinding): string;
	/** The free columns beside the transcript. */
	outputPad: number;
}

/** The current state of a call. */
export interface ToolCallState {
	toolName: string;
	toolCallId: string;
	args: Record<string, unknown>;
	executionStarted: boolean;
	/** True once the model has sent all arguments. */
	argsComplete: boolean;
	/** It has not ended. */
	isPartial: boolean;
	isError: boolean;
	/** True if the call will never run, or if its result is unknown. */
	isDropped: boolean;
	/** How long it has run, in milliseconds; 0 before it started. */
	elapsedMs: number;
	/** How long it took, once it has ended. */
	durationMs?: number;
	/** What it has given so far. */
	result: AgentToolResult | undefined;
}

export interface ToolRenderContext extends ToolCallState, RenderHelpers {
	/** Asks for this call to be drawn again. */
	invalidate(): void;
	/** What the renderer returned the last time for the same slot. */
	lastComponent: Component | undefined;
	/** For the renderer to keep things in, one for each call. */
	state: Record<string, unknown>;
	cwd: string;
	expanded: boolean;
	showImages: boolean;
	/** False if the user or the terminal disables animations. */
	hasMotion: boolean;
	/** Its effect is seen elsewhere on the screen: a renderer may draw nothing. */
	isQuiet?: boolean;
	/** The sign of something that runs, as it looks in this frame. */
	spinner: string;
	/** The result as Tau draws it: text, code or a diff. */
	renderDefault(result: AgentToolResult, bounds?: ResultBounds): Component;
}

export interface ResultBounds {
	/** Rows of a diff or lines of text; the rest is counted. */
	most: number;
	/** Which lines of a text are left. */
	from: "start" | "end";
}

/** `next` gives what would draw the tool without this one, as far as extensions know it: nothing. */
export type ToolRendererResolver = (
	toolName: string,
	next: () => undefined,
) => Pick<ToolRenderer, "renderCall" | "renderResult"> | undefined;

/** A resolver as a renderer of all tools. */
export function resolvedRenderer(resolver: ToolRendererResolver): ToolRenderer {
	const of = ({ toolName }: ToolRenderContext) => resolver(toolName, () => undefined);
	return {
		renderCall: (args, theme, context, ctx) => of(context)?.renderCall?.(args, theme, context, ctx),
		renderResult: (result, options, theme, context, ctx) =>
			of(context)?.renderResult?.(result, options, theme, context, ctx),
	};
}

/** One component that renders several calls. */
export interface FoldedCalls {
	toolCallIds: readonly string[];
	component: Component;
}

/**
 * Renders the calls of a tool. The tool's own renderer comes first, then those of `registerToolRenderer` in the order
 * of the extensions, then Tau's. A renderer that returns nothing leaves the call to the next one.
 */
export interface ToolRenderer {
	renderCall?(
		args: Record<string, unknown>,
		theme: Theme,
		context: ToolRenderContext,
		ctx: ExtensionContext,
	): Component | undefined;
	renderResult?(
		result: AgentToolResult,
		options: { expanded: boolean; isPartial: boolean },
		theme: Theme,
		context: ToolRenderContext,
		ctx: ExtensionContext,
	): Component | undefined;
	/** Milliseconds between two frames of a call that runs; all of them share one clock, which stops with the last. */
	frameMs?(theme: Theme): number;
	/** Whether a call may be folded with the one right before it; called when the call starts. */
	joins?(call: ToolCallState, before: ToolCallState, options: { isSameAnswer: boolean }): boolean;
	/** Draws some of the calls that have joined each other as one. Those that it leaves out are drawn by themselves. */
	fold?(
		calls: readonly ToolCallState[],
		theme: Theme,
		options: { hasMotion: boolean },
	): readonly FoldedCalls[];
}

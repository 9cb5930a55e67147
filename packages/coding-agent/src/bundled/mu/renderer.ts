/** The condensed look: a line for each call, and of what it gave only what one must see. */
import type { AgentToolResult } from "@tau/agent";
import { Container, type Component, type Theme } from "@tau/tui";
import type { ToolRenderContext, ToolRenderer, ExtensionAPI, ExtensionContext } from "@tau/extensions/api";

import { CallLine } from "./call-line.ts";
import { foldCalls, joins } from "./fold.ts";
import { limits } from "./limits.ts";
import { canPulse } from "./pulse.ts";
import { wholeContent } from "@tau/session/export";

export function condensedRenderer(
	pi: Pick<ExtensionAPI, "describeToolCall">,
	isCondensed: () => boolean,
): ToolRenderer {
	return {
		renderCall(args, theme, context) {
			if (!isCondensed()) return undefined;
			const described = pi.describeToolCall(context.toolName, args);
			return new CallLine({ described, call: context, theme, hasMotion: context.hasMotion });
		},
		renderResult: (result, _options, _theme, context, ctx) => resultView(result, context, isCondensed(), ctx),
		frameMs: (theme: Theme) => (isCondensed() && canPulse(theme) ? limits.frameMs : limits.stillFrameMs),
		joins: (call, before, { isSameAnswer }) => isCondensed() && joins(call, before, isSameAnswer),
		fold: (calls, theme, { hasMotion }) =>
			isCondensed() ? foldCalls(calls, theme, hasMotion, pi.describeToolCall) : [],
	};
}

/** A person who looks at a result sees what the model sees. */
function withWhole(result: AgentToolResult, { sessionManager }: ExtensionContext): AgentToolResult {
	const content = wholeContent(result.details, sessionManager);
	return content ? { ...result, content } : result;
}

function resultView(
	result: AgentToolResult,
	context: ToolRenderContext,
	isCondensed: boolean,
	ctx: ExtensionContext,
): Component {
	const { expanded, isPartial, isError } = context;
	if (expanded || !isCondensed) return context.renderDefault(withWhole(result, ctx));
	if (isPartial) return context.renderDefault(result, { most: limits.liveLines, from: "end" });
	if (isError) return context.renderDefault(result, { most: limits.failedLines, from: "end" });
	const rows = changedRows(result.details);
	return rows === undefined ? new Container() : context.renderDefault(result, { most: rows, from: "start" });
}

/** What was done to files is worth seeing: how much of it; nothing where none was changed. */
function changedRows(details: unknown): number | undefined {
	if (typeof details !== "object" || details === null) return undefined;
	if ("created" in details && details.created === true) return limits.writtenLines;
	const hasDiff = "diff" in details && typeof details.diff === "string" && details.diff !== "";
	return hasDiff ? limits.diffRows : undefined;
}

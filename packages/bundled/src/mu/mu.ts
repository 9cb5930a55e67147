/** mu: a transcript of one line a call. What tools of others give is shortened; models and `/mu-tools` have it whole. */
import type { ExtensionContext, ExtensionFactory } from "@tau/extensions/api";

import { limits } from "./limits.ts";
import { redact } from "./redact.ts";
import { condensedRenderer } from "./renderer.ts";
import { Took } from "./took.ts";

export const mu: ExtensionFactory = (pi) => {
	const isCondensed = (): boolean => pi.getSetting("transcript") !== "full";
	const took = new Took(limits.viewedResults);
	pi.registerToolRenderer("*", condensedRenderer(pi, isCondensed));
	pi.on("tool_execution_start", ({ toolCallId }) => took.start(toolCallId));
	pi.on("tool_execution_end", ({ toolCallId }) => took.end(toolCallId));
	pi.on("tool_result", (event, ctx) => {
		if (ctx.mode !== "tui" || !isCondensed()) return undefined;
		const tool = pi.getAllTools().find(({ name }) => name === event.toolName);
		// What is built in is short on the screen by itself, and a tool that draws its results needs them.
		if (!tool || tool.sourceInfo.source === "builtin" || tool.rendersResult) return undefined;
		try {
			return redact(event, took.soFar(event.toolCallId), pi, ctx);
		} catch (error) {
			// Then it is shown and sent as it came.
			pi.logger.warn("a result could not be shortened", {
				tool: event.toolName,
				reason: String(error),
			});
			return undefined;
		}
	});
	const show = async (ctx: ExtensionContext, at: "list" | "last"): Promise<void> => {
		const { openViewer } = await import("./viewer/open.ts");
		await openViewer({ describe: pi.describeToolCall, took }, ctx, at);
	};
	pi.registerCommand("mu-tools", {
		description: "Browse full tool output",
		handler: (_, ctx) => show(ctx, "list"),
	});
	pi.registerShortcut("alt+o", {
		description: "Show the last tool result in full",
		handler: (ctx) => show(ctx, "last"),
	});
};

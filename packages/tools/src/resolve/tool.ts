/** Decides on a change that was previewed: makes it or drops it. */
import type { AgentToolResult } from "@tau/agent";
import { z } from "zod";

import { defineTool } from "../tool/define-tool.ts";
import { errorResult, textResult } from "../tool/result.ts";
import { limits } from "./limits.ts";
import { pendingActions, type PendingAction } from "./pending.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };

export const resolve = defineTool({
	name: "resolve",
	label: "Apply or discard",
	prompt,
	concurrency: "exclusive",
	approval: "write",
	schema,
	parameters: () =>
		z.object({
			action: z.enum(["apply", "discard"]),
			reason: z.string().max(limits.reasonChars).optional(),
		}),
	touches: ({ action }, { services }) => {
		const next = services?.peek(pendingActions)?.peek();
		return (next?.paths ?? []).map((path) => ({ kind: action === "discard" ? "read" : "write", path }));
	},
	changes: ({ action }, { services }) =>
		action === "discard" ? [] : (services?.peek(pendingActions)?.peek()?.changes ?? []),
	approvalFor: ({ action }) => (action === "discard" ? "read" : "write"),
	async execute({ action, reason = "" }, context) {
		const pending = context.services.get(pendingActions, context);
		const next = pending.pop();
		if (!next) return errorResult("No pending action to resolve. Nothing to apply or discard.");
		const result =
			action === "apply"
				? await next.apply(reason, context.machine.files, context)
				: await discard(next, reason);
		const details = {
			action,
			label: next.label,
			sourceToolName: next.sourceToolName,
			result: result.details,
		};
		const left = pending.peek();
		if (!left) return { ...result, details };
		const more = {
			type: "text" as const,
			text: `(${pending.count} more pending; the next is: ${left.label})`,
		};
		return { ...result, details, content: [...result.content, more] };
	},
	view: { call: ({ action }) => `resolve ${action ?? "…"}` },
});

async function discard(action: PendingAction, reason: string): Promise<AgentToolResult> {
	return (await action.reject?.(reason)) ?? textResult(`Discarded: ${action.label}`);
}

/** What a program printed, as the result of a call: text, or JSON with content and details. */
import type { AgentToolResult } from "@tau/agent";
import { z } from "zod";

import { limits } from "./limits.ts";

const block = z.discriminatedUnion("type", [
	z.object({ type: z.literal("text"), text: z.string() }),
	z.object({ type: z.literal("image"), data: z.string().min(1), mimeType: z.string().startsWith("image/") }),
]);

const schema = z.object({
	content: z.union([z.string(), z.array(block).min(1).max(limits.resultBlocks)]),
	details: z.unknown().optional(),
	isError: z.boolean().optional(),
});

/** Undefined if the output is not such JSON: it is text then. */
export function jsonResult(printed: string): AgentToolResult | undefined {
	if (!printed.trimStart().startsWith("{")) return undefined;
	try {
		const { content, details, isError } = schema.parse(JSON.parse(printed));
		return {
			content: typeof content === "string" ? [{ type: "text", text: content }] : content,
			...(details === undefined ? {} : { details }),
			...(isError === undefined ? {} : { isError }),
		};
	} catch {
		// JSON of its own, which the model reads as it is.
		return undefined;
	}
}

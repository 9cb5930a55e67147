/** Replaces the built-in `write`: records what is written, and calls the built-in tool. */
import { appendFile } from "node:fs/promises";
import { join } from "node:path";

import { Type, type ExtensionAPI } from "@tau/coding-agent";

export default function auditedWrite(pi: ExtensionAPI) {
	pi.registerTool({
		name: "write",
		label: "Write",
		description: "Writes a file; an existing one is replaced.",
		approval: "write",
		parameters: Type.Object({ path: Type.String(), content: Type.String() }),
		async execute(_toolCallId, params, signal, onUpdate, ctx) {
			if (!ctx.invokeTool) throw new Error("There is no built-in tool to write with.");
			const result = await ctx.invokeTool(params, {
				...(signal ? { signal } : {}),
				...(onUpdate ? { onUpdate } : {}),
			});
			if (!result.isError)
				await appendFile(join(ctx.cwd, "audit.log"), `${params.path} ${params.content.length}\n`);
			return result;
		},
		renderCall: ({ path }, theme) => line((width) => theme.bold(`writes ${path}`.slice(0, width))),
		renderResult: (_result, { isPartial }, theme) =>
			line(() => theme.fg("success", isPartial ? "…" : "written, and written down")),
	});
}

/** A component is anything that gives rows of text. */
function line(draw: (width: number) => string) {
	return { render: (width: number) => [draw(width)], invalidate() {} };
}

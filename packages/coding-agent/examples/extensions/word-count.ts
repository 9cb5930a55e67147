/** Gives the model a tool: it counts the words of a file. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { Type, type ExtensionAPI } from "@tau/coding-agent";

export default function wordCount(pi: ExtensionAPI) {
	pi.registerTool({
		name: "word_count",
		label: "Count words",
		description: "Counts the words of a text file.",
		promptSnippet: "count the words of a file",
		promptGuidelines: ["Use word_count for questions about the length of a text."],
		approval: "read",
		parameters: Type.Object({ path: Type.String({ description: "the file, e.g. docs/intro.md" }) }),
		async execute(_toolCallId, { path }, signal, onUpdate, ctx) {
			onUpdate?.({ content: [{ type: "text", text: `Reading ${path}` }] });
			// Throw to fail: the model reads the message as the error of the call.
			const text = await readFile(resolve(ctx.cwd, path), {
				encoding: "utf8",
				...(signal ? { signal } : {}),
			});
			const count = text.split(/\s+/).filter(Boolean).length;
			if (count === 0) ctx.addAdditionalContext("The file is empty: say so, and do not guess why.");
			return { content: [{ type: "text", text: `${count} words` }], details: { count } };
		},
	});
}

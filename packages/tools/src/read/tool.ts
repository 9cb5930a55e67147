/** Reads whatever can be shown to a model: files, directories, documents, databases, pages. */
import type { AgentToolResult } from "@tau/agent";
import { once, stripControls } from "@tau/utils";
import { z } from "zod";

import { defineTool } from "../tool/define-tool.ts";
import { claudePath } from "../tool/claude-form.ts";
import { fileTouch, schemeOf } from "../tool/touch.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };

/** Imported once: finding a module that is loaded is a tenth of the time that a small file takes. */
const reader = once(() => import("./read-path.ts"));

export const read = defineTool({
	name: "read",
	label: "Read file",
	prompt,
	concurrency: "shared",
	approval: "read",
	claude: { name: "Read", renamed: { file_path: claudePath } },
	schema,
	parameters: () =>
		z.object({
			path: z.string().min(1),
			offset: z.int().positive().optional().describe("line, row or name, from 1"),
			limit: z.int().positive().optional(),
		}),
	touches: ({ path }, context) => fileTouch("read", path, context),
	// The readers are loaded while the call arrives.
	prepare: () => void reader(),
	async execute({ path, offset, limit }, context) {
		const scheme = schemeOf(path);
		const asked = { offset, limit };
		if (scheme !== undefined) {
			const { readUrl } = await import("./read-url.ts");
			return harmless(await readUrl(path, scheme, asked, context));
		}
		const { readPath } = await reader();
		return harmless(await readPath(path, asked, context));
	},
	view: {
		call: ({ path, offset, limit }) =>
			`read ${path ?? "…"}${offset || limit ? ` @L${offset ?? 1}${limit ? `-${(offset ?? 1) + limit - 1}` : ""}` : ""}`,
	},
});

/** Names of entries, tables, pages and files occur in headers and errors too. */
export function harmless(result: AgentToolResult): AgentToolResult {
	const content = result.content.map((part) =>
		part.type === "text" ? { ...part, text: stripControls(part.text) } : part,
	);
	return { ...result, content };
}

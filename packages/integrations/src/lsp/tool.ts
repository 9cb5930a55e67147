/** Asks language servers about code, and shows the changes that they work out. */
import { z } from "zod";

import { defineTool, fileTouch, treeTouch } from "@tau/tools/tool";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };

const actions = [
	"diagnostics",
	"definition",
	"type_definition",
	"implementation",
	"references",
	"hover",
	"symbols",
	"workspace_symbols",
	"incoming_calls",
	"outgoing_calls",
	"supertypes",
	"subtypes",
	"rename",
	"rename_file",
	"code_actions",
	"format",
	"organize_imports",
	"status",
	"reload",
	"request",
] as const;

const parameters = () =>
	z.object({
		action: z.enum(actions),
		path: z.string().min(1).optional(),
		line: z.number().int().positive().optional(),
		end_line: z.number().int().positive().optional(),
		symbol: z.string().min(1).optional(),
		query: z.string().optional(),
		new_name: z.string().min(1).optional(),
		apply: z.string().min(1).optional(),
		method: z.string().min(1).optional(),
		params: z.record(z.string(), z.unknown()).optional(),
	});

export type Arguments = z.infer<ReturnType<typeof parameters>>;

export const lsp = defineTool({
	name: "lsp",
	label: "Language server",
	prompt,
	searchHint: "definitions, references, renames, fixes, errors",
	concurrency: "shared",
	approval: "read",
	kind: "search",
	schema,
	parameters,
	touches: ({ path }, context) =>
		path === undefined ? treeTouch(".", context) : fileTouch("read", path, context),
	async execute(args, context) {
		const { answer } = await import("./actions/answer.ts");
		return await answer(args, context);
	},
	view: {
		call: ({ action, path, symbol, query }) =>
			["lsp", action ?? "…", symbol ?? query ?? "", path ? `in ${path}` : ""].filter(Boolean).join(" "),
	},
});

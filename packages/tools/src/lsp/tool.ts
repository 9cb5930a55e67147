/** Asks language servers about code, and shows the changes that they work out. */
import type { AgentToolResult } from "@tau/agent";
import { z } from "zod";

import { defineTool, type ToolContext } from "../tool/define-tool.ts";
import { fileTouch, treeTouch } from "../tool/touch.ts";
import { errorResult } from "../tool/result.ts";
import { codeActions, format, rename, renameFile, sourceAction } from "./actions/change.ts";
import {
	fileDiagnostics,
	projectDiagnostics,
	rawRequest,
	reloadServers,
	serverStatus,
} from "./actions/check.ts";
import {
	documentSymbols,
	findLocations,
	hierarchies,
	hierarchy,
	hover,
	locationRequests,
	workspaceSymbols,
	type HierarchyAction,
	type LocationAction,
} from "./actions/navigate.ts";
import { LspError } from "./client/connection.ts";
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

const parameters = z.object({
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

type Arguments = z.infer<typeof parameters>;

export const lsp = defineTool({
	name: "lsp",
	label: "Language server",
	prompt,
	searchHint: "definitions, references, renames, fixes, errors of code",
	concurrency: "shared",
	approval: "read",
	schema,
	parameters,
	touches: ({ path }, context) =>
		path === undefined ? treeTouch(".", context) : fileTouch("read", path, context),
	async execute(args, context) {
		try {
			return await answer(args, context).catch((error: unknown) => {
				// The Tau that owned the server may just have ended. One that has crashed is not started again at once.
				if (error instanceof LspError && error.kind === "gone") return answer(args, context);
				throw error;
			});
		} catch (error) {
			if (error instanceof LspError) return errorResult(error.message);
			throw error;
		}
	},
	view: {
		call: ({ action, path, symbol, query }) =>
			["lsp", action ?? "…", symbol ?? query ?? "", path ? `in ${path}` : ""].filter(Boolean).join(" "),
	},
});

async function answer(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	const { action, line, end_line: endLine, symbol, apply } = args;
	switch (action) {
		case "status":
			return serverStatus(context);
		case "reload":
			return reloadServers(args.query, context);
		case "workspace_symbols":
			return workspaceSymbols({ path: args.path, query: required(args, "query") }, context);
		case "diagnostics":
			return args.path === undefined ? projectDiagnostics(context) : fileDiagnostics(args.path, context);
		default:
	}
	const path = required(args, "path");
	switch (action) {
		case "symbols":
			return documentSymbols({ path }, context);
		case "hover":
			return hover({ path, line, symbol }, context);
		case "rename":
			return rename({ path, line, symbol, newName: required(args, "new_name") }, context);
		case "rename_file":
			return renameFile({ path, newPath: required(args, "new_name") }, context);
		case "code_actions":
			return codeActions({ path, line, endLine, symbol, apply }, context);
		case "format":
			return format({ path, line, endLine }, context);
		case "organize_imports":
			return sourceAction(path, "source.organizeImports", context);
		case "request":
			return rawRequest({ path, method: required(args, "method"), params: args.params ?? {} }, context);
		default:
			return isHierarchy(action)
				? hierarchy(action, { path, line, symbol }, context)
				: findLocations(action, { path, line, symbol }, context);
	}
}

function isHierarchy(action: HierarchyAction | LocationAction): action is HierarchyAction {
	return action in hierarchies && !(action in locationRequests);
}

function required<K extends "path" | "query" | "new_name" | "method">(args: Arguments, name: K): string {
	const value = args[name];
	if (value === undefined) throw new LspError("refused", `${args.action} needs ${name}.`);
	return value;
}

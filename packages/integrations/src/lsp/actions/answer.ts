/** Answers a call of the tool: the server is asked once more when the Tau that owned it has just ended. */
import type { AgentToolResult } from "@tau/agent";

import { type ToolContext, errorResult } from "@tau/tools/tool";
import { LspError } from "../client/connection.ts";
import type { Arguments } from "../tool.ts";
import { codeActions, format, rename, renameFile, sourceAction } from "./change.ts";
import { fileDiagnostics, projectDiagnostics, rawRequest, reloadServers, serverStatus } from "./check.ts";
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
} from "./navigate.ts";

export async function answer(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	try {
		return await act(args, context).catch((error: unknown) => {
			// The Tau that owned the server may just have ended. One that has crashed is not started again at once.
			if (error instanceof LspError && error.kind === "gone") return act(args, context);
			throw error;
		});
	} catch (error) {
		if (error instanceof LspError) return errorResult(error.message);
		throw error;
	}
}

async function act(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
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

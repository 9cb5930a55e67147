/** Reads what a path of the file system names. */
import type { AgentToolResult } from "@tau/agent";

import type { ToolContext } from "../tool/define-tool.ts";
import { errorResult } from "../tool/result.ts";
import type { ReadRequest } from "./read-request.ts";
import { readDirectory } from "./read-directory.ts";
import { readSource } from "./read-source.ts";
import { FileSource } from "./source.ts";
import { findTarget } from "./target.ts";
import { suggestions, unreadable } from "./unreadable.ts";

export async function readPath(
	path: string,
	request: ReadRequest,
	context: ToolContext,
): Promise<AgentToolResult> {
	const target = await findTarget(path, context);
	if (!target.ok) {
		const isMissing = target.error.code === "ENOENT" || target.error.code === "ENOTDIR";
		const hint = isMissing ? await suggestions(path, context, context.signal) : "";
		return errorResult(unreadable(path, target.error) + hint);
	}
	const { shown, absolute, info, selector, query } = target;
	if (info.kind === "directory") return readDirectory(shown, absolute, request, context);
	if (info.kind !== "file") return errorResult(`${shown} is not a regular file.`);
	return readFile({ shown, absolute, editable: true }, { ...request, selector, query }, context);
}

export interface FileLocation {
	/** The model's name for the path. */
	shown: string;
	absolute: string;
	/** True when `edit` may change it. */
	editable: boolean;
}

export async function readFile(
	file: FileLocation,
	request: ReadRequest,
	context: ToolContext,
): Promise<AgentToolResult> {
	try {
		await using source = await FileSource.open(context.machine, { ...file, signal: context.signal });
		return source
			? await readSource(source, request, context)
			: errorResult(`${file.shown} is not a regular file.`);
	} catch (error) {
		context.signal.throwIfAborted();
		return errorResult(unreadable(file.shown, error as NodeJS.ErrnoException));
	}
}

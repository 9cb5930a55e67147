/** Reads what a path of the file system names. */
import type { AgentToolResult } from "@tau/agent";

import type { ToolContext } from "../tool/define-tool.ts";
import { errorResult } from "../tool/result.ts";
import type { ReadRequest } from "./read-request.ts";
import { readDirectory } from "./read-directory.ts";
import { FileSource, type Source } from "./source.ts";
import { findTarget } from "./target.ts";
import { suggestions, unreadable } from "./unreadable.ts";
import { isArchive, readArchive } from "./read-archive.ts";
import { documentOf, readDocument } from "./read-document.ts";
import { isImage, readImage } from "./read-image.ts";
import { isNotebook, readNotebook } from "./read-notebook.ts";
import { readText } from "./read-text.ts";
import { isSqlite, readSqlite } from "./sqlite/read-sqlite.ts";

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

/** Detects the kind of some bytes and passes them to the reader of that kind. */
async function readSource(
	source: Source,
	request: ReadRequest,
	context: ToolContext,
): Promise<AgentToolResult> {
	const { shown, name, head, path } = source;
	if (isImage(source)) return readImage(source, context);
	if (isSqlite(head)) {
		return path === undefined ? inside(shown) : readSqlite(source, path, request, context);
	}
	const document = documentOf(name, head);
	if (document) return readDocument(source, document, request, context.signal);
	if (isArchive(name, head)) {
		if (path === undefined) return inside(shown);
		return readArchive(source, request, (entry, rest) => readSource(entry, rest, context), context.signal);
	}
	if (isNotebook(name)) return readNotebook(source, request, context);
	return readText(source, request, context);
}

function inside(shown: string): AgentToolResult {
	return errorResult(`${shown} must be unpacked first. Do that with bash, then read it.`);
}

/** Detects the kind of some bytes and passes them to the reader of that kind. */
import type { AgentToolResult } from "@tau/agent";

import type { ToolContext } from "../tool/define-tool.ts";
import { errorResult } from "../tool/result.ts";
import type { ReadRequest } from "./read-request.ts";
import { isArchive, readArchive } from "./read-archive.ts";
import { documentOf, readDocument } from "./read-document.ts";
import { isImage, readImage } from "./read-image.ts";
import { isNotebook, readNotebook } from "./read-notebook.ts";
import { readText } from "./read-text.ts";
import type { Source } from "./source.ts";
import { isSqlite, readSqlite } from "./sqlite/read-sqlite.ts";

export async function readSource(
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

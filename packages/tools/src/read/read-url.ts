/** Reads addresses: web pages, and resources of the session. */

import type { AgentToolResult } from "@tau/agent";
import { localMachine } from "@tau/sys";
import { oneLine } from "@tau/utils";

import { urlRouter } from "../urls/index.ts";
import type { ToolContext } from "../tool/define-tool.ts";
import { errorResult } from "../tool/result.ts";
import { filePathOf } from "../tool/touch.ts";
import type { ReadRequest } from "./read-request.ts";
import { limits } from "./limits.ts";
import { parseRange } from "./range.ts";
import { readDirectory } from "./read-directory.ts";
import { readImage } from "./read-image.ts";
import { readFile, readPath } from "./read-path.ts";
import { linesOf, showText } from "./show-text.ts";
import { memorySource } from "./source.ts";

export async function readUrl(
	url: string,
	scheme: string,
	request: ReadRequest,
	context: ToolContext,
): Promise<AgentToolResult> {
	if (scheme === "http" || scheme === "https") return readWebPage(url, request, context);
	if (scheme === "file") return readFileUrl(url, request, context);
	return readOwn(url, request, context);
}

async function readWebPage(
	url: string,
	request: ReadRequest,
	context: ToolContext,
): Promise<AgentToolResult> {
	const { readPage } = await import("../fetch/index.ts");
	const page = await readPage(url, context, context.signal);
	if (!page.ok) return errorResult(page.message);
	if (page.kind === "image") return readImage(memorySource(url, "", page.bytes), context);
	const { contentType, text, truncated } = page;
	const title = oneLine(page.title, limits.titleChars);
	const from = page.url === url ? "" : ` (from ${page.url})`;
	return showText(text, linesOf(request), {
		shown: url,
		style: "plain",
		header: `[${title === "" ? url : `${title}: ${url}`}${from}]`,
		notes: truncated ? ["the page is too long and was truncated"] : [],
		details: { url: page.url, contentType, ...(title === "" ? {} : { title }) },
	});
}

function readFileUrl(url: string, request: ReadRequest, context: ToolContext): Promise<AgentToolResult> {
	const path = filePathOf(url);
	return path === undefined
		? Promise.resolve(errorResult(`${url} does not name a file on this machine.`))
		: readPath(path, request, context);
}

/** A range may follow the address as it follows a path: `artifact://3:100-200`. */
async function readOwn(url: string, request: ReadRequest, context: ToolContext): Promise<AgentToolResult> {
	const [, bare = url, selector] = /^([^:]*:\/\/.*?):([\d+:L-]+)$/is.exec(url) ?? [];
	const range = selector === undefined ? undefined : parseRange(selector);
	const shown = range ? bare : url;
	const resource = await urlRouter(context).resolve(shown, context, context.signal);
	if (!resource.ok) return errorResult(resource.reason);
	if ("text" in resource)
		return showText(resource.text, linesOf(request, range), { shown, style: "numbered" });
	// Session files are beside its log, regardless of where the tools work.
	const own = { ...context, machine: localMachine() };
	const info = await own.machine.files.stat(resource.path).catch(() => undefined);
	if (info?.kind === "directory") return readDirectory(shown, resource.path, request, own);
	const file = { shown, absolute: resource.path, editable: false };
	return readFile(file, range ? { ...request, selector } : request, own);
}

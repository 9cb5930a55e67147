/** Converts web pages: small ones here, larger ones in a worker process. */
import type { HtmlMarkdown, HtmlOptions } from "../html/index.ts";
import { limits } from "./limits.ts";
import { parsers } from "./parsers.ts";

/**
 * A page as Markdown: links are absolute, scripts and styles are removed, tables and the languages of code are kept.
 * Rejects with `WorkerStopped` when the page takes too long or too much memory.
 */
export async function htmlToMarkdown(
	html: string,
	options: HtmlOptions = {},
	signal?: AbortSignal,
): Promise<HtmlMarkdown> {
	if (html.length <= limits.smallPageChars)
		return (await import("../html/convert.ts")).convert(html, options);
	return await parsers.run("page", [html, options], { limits: limits.page, signal });
}

/** Entry point for converting pages: loads its libraries on first use. */
import type { HtmlMarkdown, HtmlOptions } from "./convert.ts";

/**
 * A page as Markdown: links are absolute, scripts and styles are removed, tables and the languages of code are kept.
 */
export async function htmlToMarkdown(html: string, options: HtmlOptions = {}): Promise<HtmlMarkdown> {
	return (await import("./convert.ts")).convert(html, options);
}

/** The door to the conversion of pages: loads its libraries when the first page comes. */
import type { HtmlMarkdown, HtmlOptions } from "./convert.ts";

/** A page as Markdown, its links absolute, scripts and styles gone, tables and the languages of code kept. */
export async function htmlToMarkdown(html: string, options: HtmlOptions = {}): Promise<HtmlMarkdown> {
	return (await import("./convert.ts")).convert(html, options);
}

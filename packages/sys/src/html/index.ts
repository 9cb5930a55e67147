/** Web pages as text. */
export type { HtmlMarkdown, HtmlOptions } from "./convert.ts";
export { htmlToMarkdown } from "./html-to-markdown.ts";

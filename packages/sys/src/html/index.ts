/** Pages of the web as text. */
export type { HtmlMarkdown, HtmlOptions } from "./convert.ts";
export { htmlToMarkdown } from "./html-to-markdown.ts";

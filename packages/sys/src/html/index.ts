/** Web pages as text. */
export type { HtmlMarkdown, HtmlOptions } from "./convert.ts";

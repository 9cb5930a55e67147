/** Markdown: parsed as it streams, laid out once. */
export { Markdown } from "./markdown.ts";
export { type DefaultTextStyle, type MarkdownOptions, type MarkdownTheme } from "./theme.ts";

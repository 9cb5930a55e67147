/** Markdown: read as it comes, laid out once. */
export { Markdown } from "./markdown.ts";
export { type DefaultTextStyle, type MarkdownOptions, type MarkdownTheme } from "./theme.ts";

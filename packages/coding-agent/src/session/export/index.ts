/** The door of exports. */
export { toHtml } from "./html.ts";
export { toJson } from "./json.ts";
export { toMarkdown } from "./markdown.ts";
export { spoken, type Part } from "./parts.ts";
export type { ExportSource } from "./source.ts";
export { walkTree } from "./walk.ts";

/** The door of exports. */
export { exportSession, type ExportFormat } from "./export-session.ts";
export { toMarkdown } from "./markdown.ts";
export { exportSource } from "./source.ts";
export { spoken, type Part } from "./parts.ts";
export { walkTree } from "./walk.ts";

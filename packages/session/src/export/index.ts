/** The entry point `@tau/session/export`. */
export { exportSession, type ExportFormat } from "./export-session.ts";
export { toMarkdown } from "./markdown.ts";
export { exportSource } from "./source.ts";
export { spoken, type Part } from "./parts.ts";
export { walkTree } from "./walk.ts";
export { exportHtml } from "./export-html.ts";
export {
	markOf,
	readStored,
	storedIn,
	storedType,
	wholeContent,
	withoutImages,
	type Mark,
	type StoredContent,
	type StoredToolResult,
} from "./stored-result.ts";

/** The entry point `@tau/tools/registry`. */
export { foundTools } from "./found-tools.ts";
export { searchNotes } from "./search-notes.ts";
export { type SearchSource } from "./search-tools.ts";
export { type ToolSelection, followSelection, selectionBySettings } from "./selection.ts";
export { type HiddenTools, type LateSource, type ToolSource, ToolRegistry } from "./tool-registry.ts";

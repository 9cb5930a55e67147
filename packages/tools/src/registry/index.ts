/** The entry point `@tau/tools/registry`. */
export { type ToolSelection, followSelection, selectionBySettings } from "./selection.ts";
export { type HiddenTools, type LateSource, type ToolSource, ToolRegistry } from "./tool-registry.ts";

/** The entry point `@tau/extensions/host`. */
export { Extensions } from "./extensions.ts";
export type { LoadRequest } from "./loader.ts";
export { type ExtensionActions, Runtime } from "./runtime.ts";
export { ToolTable, createToolContext } from "./tools.ts";

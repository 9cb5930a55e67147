/** The entry point `@tau/extensions/host`. */
export { Extensions, type LoadRequest } from "./extensions.ts";
export { type ExtensionActions, Runtime } from "./runtime.ts";
export { ToolTable, createToolContext } from "./tools.ts";

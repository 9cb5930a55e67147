/** The entry point `@tau/extensions/support`. */
export { describeFailure } from "./failure.ts";
export { limits as supportLimits } from "./limits.ts";
export { currentJudgedPaths, currentScope, ExtensionScope, perScope, processScope } from "./scope.ts";
export { isAttributed } from "./attribute-uncaught.ts";
export { notedContext } from "./transcript-context.ts";
export { contextExports, plainContext } from "./system-messages.ts";
export type { VirtualModules } from "./virtual-modules.ts";
export { loadSchemaLibraries, noSchemaLibraries } from "./schema-libraries.ts";

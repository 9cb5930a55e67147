/** The entry point `@tau/tools/debug`. */
export { debuggers, type Debuggers } from "./debuggers.ts";

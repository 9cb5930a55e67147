/** The entry point `@tau/tools/debug`. */
export { debuggers } from "./debuggers.ts";
export { describeSessions } from "./describe.ts";

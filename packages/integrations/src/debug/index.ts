/** The entry point `@tau/integrations/debug`. */
export { debuggers } from "./debuggers.ts";
export { describeSessions } from "./describe.ts";

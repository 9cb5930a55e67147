/** The entry point `@tau/tools/resolve`. */
export { pendingActions } from "./pending.ts";

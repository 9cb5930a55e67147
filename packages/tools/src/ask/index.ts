/** The entry point `@tau/tools/ask`. */
export { limits as askLimits } from "./limits.ts";

/** The entry point `@tau/tools/write`. */
export { write } from "./tool.ts";

/** The entry point `@tau/interactive/views`. */
export { plural } from "./format.ts";

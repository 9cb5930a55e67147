/** The entry point `@tau/extensions/discovery`. */
export { Switches } from "./switches.ts";
export type { Origin, Warning } from "./types.ts";

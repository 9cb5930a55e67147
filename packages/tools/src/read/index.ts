/** The entry point `@tau/tools/read`. */
export { humanSize } from "./human-size.ts";

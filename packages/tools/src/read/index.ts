/** The entry point `@tau/tools/read`. */
export { readForUser } from "./read-for-user.ts";
export { humanSize } from "./human-size.ts";

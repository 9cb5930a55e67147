/** The entry point `@tau/interactive/selectors`. */
export { chooseSession } from "./sessions/choose.ts";

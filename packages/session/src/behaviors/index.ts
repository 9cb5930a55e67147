/** The entry point `@tau/session/behaviors`. */
export { askTitle } from "./ask-title.ts";
export { persistence } from "./persistence.ts";

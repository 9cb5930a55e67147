/** The entry point `@tau/session/behaviors`. */
export { advisor } from "./advisor.ts";
export { askTitle } from "./ask-title.ts";
export { startDate } from "./date-notes.ts";
export { persistence } from "./persistence.ts";

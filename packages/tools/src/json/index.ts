/** The entry point `@tau/tools/json`. */
export { at, firstText, listAt, numberAt, parseJson, textAt, textsAt } from "./read.ts";

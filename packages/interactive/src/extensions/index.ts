/** The entry point `@tau/interactive/extensions`. */
export { themeFiles } from "./theme-files.ts";

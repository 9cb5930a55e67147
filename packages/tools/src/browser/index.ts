/** The entry point `@tau/tools/browser`. */
export { browserService, describeBrowser } from "./browser-session.ts";

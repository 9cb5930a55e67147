/** The entry point `@tau/integrations/browser`. */
export { browserService, describeBrowser } from "./browser-session.ts";
export { browser } from "./tool.ts";

/** The entry point `@tau/session-commands/shared`. */
export { extensionControl } from "./extension-control.ts";
export { openBrowser } from "./open-browser.ts";

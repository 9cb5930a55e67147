/** The entry point `@tau/session-commands/shared`. */
export { extensionControl } from "./extension-control.ts";
export { openBrowser } from "./open-browser.ts";
export { imageEndings, promptImage } from "./prompt-image.ts";

/** The door of internal addresses. */
export { registerUrlScheme, urlRouter, type Resource, type UrlHandler } from "./router.ts";

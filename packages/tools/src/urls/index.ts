/** The public exports of internal addresses. */
export { registerUrlScheme, urlRouter, type Resource, type UrlHandler } from "./router.ts";
export { memoryUrls } from "./memory.ts";
export { sessionUrls } from "./session-entries.ts";

/** The public exports of web fetching. */
export { fetchPage, type FetchPageOptions } from "./fetch-page.ts";
export type { FetchedPage, PageProblem } from "./page.ts";
export type { RenderedPage } from "./render-page.ts";
export { readPage } from "./session-pages.ts";
export { limits as fetchLimits } from "./limits.ts";
export { isPublicAddress } from "./address.ts";
export { readBody } from "./body.ts";

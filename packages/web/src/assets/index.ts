/** The files of the page, served by `tau web`, the relay or a static directory. */
export type { PageAsset } from "./asset.ts";
export { pageAssets } from "./built.ts";
export { filledViewer } from "./viewer-page.ts";

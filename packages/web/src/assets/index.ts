/** The files of the page for whoever serves them: `tau web`, the relay, a static directory. */
export type { PageAsset } from "./asset.ts";
export { pageAssets } from "./built.ts";
export { filledViewer } from "./viewer-page.ts";

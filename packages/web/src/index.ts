/** The browser client. Its files are in `@tau/web/assets`; pages of others take what they need from `@tau/web/page`. */
export type { PageAsset } from "./assets/index.ts";

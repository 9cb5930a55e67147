/** The page, built from its sources at the first use. In the executable this module is one with the finished files. */
import { once } from "@tau/utils";

import type { PageAsset } from "./asset.ts";

export const pageAssets: () => Promise<ReadonlyMap<string, PageAsset>> = once(async () => {
	const { buildPage } = await import("./build.ts");
	return buildPage();
});

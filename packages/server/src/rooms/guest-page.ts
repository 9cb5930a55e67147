/** The pages for guests and for readers of shares, as a relay serves it: its files are read, or built, when one is asked for. */
import type { Page } from "@tau/relay";
import { serveFile, type PageFiles } from "@tau/web/server";

const files: PageFiles = async () => (await import("@tau/web/assets")).pageAssets();

/** What belongs to `tau web` alone, its own document and its worker, is not here. */
export const guestPage: Page = async (request, path) => {
	if (path === "/") return await serveFile(request, "/guest", files);
	if (path.startsWith("/s/")) return await serveFile(request, "/viewer", files);
	const isShared = path.startsWith("/assets/") || path === "/icon.svg" || path === "/artifact";
	return isShared ? await serveFile(request, path, files) : undefined;
};

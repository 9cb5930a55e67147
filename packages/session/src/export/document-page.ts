/** Writes a document as one page that shows it and loads nothing. */
import type { RecordingDocument, ShareDocument } from "@tau/wire/share";

export async function documentPage(document: ShareDocument | RecordingDocument): Promise<string> {
	// The page is large, and built from its sources outside of the executable.
	const { filledViewer, pageAssets } = await import("@tau/web/assets");
	const viewer = (await pageAssets()).get("/viewer");
	if (!viewer) throw new Error("This build of Tau has no page for exports.");
	return filledViewer(new TextDecoder().decode(await viewer.body()), JSON.stringify(document));
}

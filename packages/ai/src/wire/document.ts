/** Documents that vendors read themselves: they have another form than images there, and need a name. */
import type { ImageContent } from "../types.ts";

export const documentName = "document.pdf";

export function isDocument({ mimeType }: ImageContent): boolean {
	return mimeType === "application/pdf";
}

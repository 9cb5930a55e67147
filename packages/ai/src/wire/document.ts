/** Media beside plain images: documents, which have another form and need a name, and what the vendor itself fetches. */
import type { ImageContent } from "../types.ts";

export const documentName = "document.pdf";

export function isDocument({ mimeType }: ImageContent): boolean {
	return mimeType === "application/pdf";
}

/** Media at an address; its data is empty. Only clients of the gateway ask so. */
export interface LinkedMedia extends ImageContent {
	url: string;
}

/** Undefined for media whose data is here. */
export function addressOf(media: ImageContent): string | undefined {
	return "url" in media && typeof media.url === "string" ? media.url : undefined;
}

/** An image of a prompt, as models accept it: from the command line, the clipboard, or a file that was dropped. */
import type { ImageContent } from "@tau/ai";

export const imageEndings: ReadonlySet<string> = new Set([".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"]);

/** The image, or the reason why it cannot be sent. */
export async function promptImage(bytes: Uint8Array): Promise<ImageContent | string> {
	const { fitImage } = await import("./images-on-demand.ts");
	const fitted = await fitImage(bytes);
	if (!fitted.ok) return fitted.message;
	return { type: "image", mimeType: fitted.mimeType, data: fitted.bytes.toBase64() };
}

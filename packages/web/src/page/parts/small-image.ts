/** Pictures as models take them: of a type that they know, and not larger than is of use to them. */
import { limits } from "../limits.ts";
import { base64 } from "./base64.ts";

export function isPicture({ type }: Blob): boolean {
	return /^image\/(?:png|jpeg|gif|webp)$/.test(type);
}

export interface SmallImage {
	readonly type: "image";
	/** Base64. */
	readonly data: string;
	readonly mimeType: string;
}

export async function smallImage(file: Blob): Promise<SmallImage> {
	const bitmap = await createImageBitmap(file);
	try {
		const scale = Math.min(1, limits.imagePixels / Math.max(bitmap.width, bitmap.height));
		if (scale === 1 && file.size <= limits.imageBytes)
			return { type: "image", data: await base64(file), mimeType: file.type };
		const canvas = new OffscreenCanvas(
			Math.max(1, Math.round(bitmap.width * scale)),
			Math.max(1, Math.round(bitmap.height * scale)),
		);
		canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
		const png = await canvas.convertToBlob({ type: "image/png" });
		const made =
			png.size <= limits.imageBytes ? png : await canvas.convertToBlob({ type: "image/jpeg", quality: 0.85 });
		return { type: "image", data: await base64(made), mimeType: made.type };
	} finally {
		bitmap.close();
	}
}

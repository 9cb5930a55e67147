/** Turns an image into another format and size. */
import { firstFrame } from "./animated-webp.ts";
import { checkImage, openImage, type ImageRefusal } from "./fit.ts";
import { readIndexedPng } from "./indexed-png.ts";
import { withoutPalette } from "./palette-bitmap.ts";
import { encodeSixel } from "./sixel.ts";

export interface ImageTarget {
	format: "png" | "jpeg" | "webp" | "sixel";
	/** The image is scaled to fit into these pixels, in its own proportions; it is not enlarged. */
	width?: number;
	height?: number;
	/** For JPEG and WebP, from 1 to 100. */
	quality?: number;
	/** For sixel: the colors that the terminal can show at once, from 2 to 256. */
	colors?: number;
}

export type ConvertedImage = { ok: true; bytes: Uint8Array } | ImageRefusal;

export async function convert(bytes: Uint8Array, target: ImageTarget): Promise<ConvertedImage> {
	const image = checkImage(bytes);
	if (!image.ok) return image;
	const { width = image.width, height = image.height } = target;
	try {
		const source = openImage(decodable(image));
		const scaled = source.resize(width, height, { fit: "inside", withoutEnlargement: true });
		return { ok: true, bytes: await encode(scaled, target) };
	} catch {
		// Bun reports only that decoding failed.
		return {
			ok: false,
			problem: "damaged",
			message: "This image cannot be decoded: it is truncated or broken.",
		};
	}
}

/** In a form that Bun's decoder knows. */
function decodable({ bytes, mimeType }: { bytes: Uint8Array; mimeType: string }): Uint8Array {
	if (mimeType === "image/webp") return firstFrame(bytes)?.bytes ?? bytes;
	return (mimeType === "image/bmp" ? withoutPalette(bytes) : undefined) ?? bytes;
}

async function encode(image: Bun.Image, { format, quality, colors = 256 }: ImageTarget): Promise<Uint8Array> {
	if (format === "png") return await image.png().bytes();
	if (format === "jpeg") return await image.jpeg(quality === undefined ? {} : { quality }).bytes();
	if (format === "webp") return await image.webp(quality === undefined ? {} : { quality }).bytes();
	const indexed = await image.png({ palette: true, colors, dither: true, compressionLevel: 1 }).bytes();
	return Buffer.from(encodeSixel(readIndexedPng(indexed)), "latin1");
}

/** Pictures made fit for a model or a terminal, by pi's functions. */
import { fitImage, identifyImage } from "@tau/sys";

import { limits } from "./operations/limits.ts";

interface ResizeOptions {
	maxWidth?: number;
	maxHeight?: number;
	/** Of the picture as base64. */
	maxBytes?: number;
}

export interface ResizedImage {
	/** As base64. */
	data: string;
	mimeType: string;
	originalWidth: number;
	originalHeight: number;
	width: number;
	height: number;
	wasResized: boolean;
}

/** Null where it is no picture, or cannot be made so small. */
export async function resizeImage(
	inputBytes: Uint8Array,
	_mimeType?: string,
	options: ResizeOptions = {},
): Promise<ResizedImage | null> {
	const size = identifyImage(inputBytes)?.size;
	const maxSide = Math.min(options.maxWidth ?? limits.imageSide, options.maxHeight ?? limits.imageSide);
	const fitted = await fitImage(inputBytes, {
		maxSide,
		maxBase64Bytes: options.maxBytes ?? limits.imageBase64Bytes,
	});
	if (!fitted.ok || !size) return null;
	const { bytes, mimeType, width, height } = fitted;
	return {
		data: Buffer.from(bytes).toString("base64"),
		mimeType,
		originalWidth: size.width,
		originalHeight: size.height,
		width,
		height,
		wasResized: width !== size.width || height !== size.height,
	};
}

/** The note that explains the scale of pixels to a model. */
export function formatDimensionNote(image: ResizedImage): string | undefined {
	if (!image.wasResized) return undefined;
	const { originalWidth, originalHeight, width, height } = image;
	const factor = (originalWidth / width).toFixed(2);
	return `[The image is ${originalWidth}x${originalHeight}, shown as ${width}x${height}: multiply positions by ${factor}.]`;
}

/** Null where it cannot be read as a picture. */
export async function convertToPng(
	base64Data: string,
	mimeType: string,
): Promise<{ data: string; mimeType: string } | null> {
	if (mimeType === "image/png") return { data: base64Data, mimeType };
	try {
		const image = new Bun.Image(Buffer.from(base64Data, "base64"));
		return { data: Buffer.from(await image.png().bytes()).toString("base64"), mimeType: "image/png" };
	} catch {
		// A file that is not an image cannot be converted.
		return null;
	}
}

/** By what the file holds, not by its name. */
export async function detectSupportedImageMimeTypeFromFile(filePath: string): Promise<string | null> {
	const head = await Bun.file(filePath).slice(0, limits.imageHeadBytes).bytes();
	const mimeType = identifyImage(head)?.mimeType;
	return mimeType === undefined || mimeType === "image/bmp" ? null : mimeType;
}

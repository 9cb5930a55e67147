/** Shrinks an image until a model accepts it; an image that is small enough stays unchanged. */
import { limits } from "../limits.ts";
import { firstFrame, type FirstFrame } from "./animated-webp.ts";
import { identifyImage, type ImageType } from "./identify.ts";
import { withoutPalette } from "./palette-bitmap.ts";

export interface ImageLimits {
	/** The longest side, in pixels. */
	maxSide: number;
	/** The maximum size as base64, the encoding in which images are sent. */
	maxBase64Bytes: number;
}

export interface FittedImage {
	ok: true;
	bytes: Uint8Array;
	mimeType: ImageType;
	width: number;
	height: number;
	/** The properties of the original image; absent when the bytes are unchanged. */
	original?: { mimeType: ImageType; width: number; height: number; bytes: number };
	/** Frames of an animation, of which only the first is shown. */
	frames?: number;
}

export interface ImageRefusal {
	ok: false;
	problem: "not-an-image" | "damaged" | "too-large";
	message: string;
}

const modelLimits: ImageLimits = { maxSide: limits.imageSide, maxBase64Bytes: limits.imageBase64Bytes };

/** Models do not accept BMP. */
const sendable: ReadonlySet<ImageType> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** What the header of an image says, and whether it may be decoded at all. */
export function checkImage(bytes: Uint8Array): ({ ok: true } & Image) | ImageRefusal {
	const info = identifyImage(bytes);
	if (!info) {
		return refusal(
			"not-an-image",
			"This is not a PNG, JPEG, GIF, WebP or BMP image. Convert it to one of these.",
		);
	}
	const { mimeType, size } = info;
	if (!size) return refusal("damaged", `The header of this ${nameOf(mimeType)} image is broken.`);
	const { width, height } = size;
	if (bytes.length > limits.imageInputBytes || width * height > limits.imagePixels) {
		const description = `${width}x${height} pixels in ${bytes.length} bytes`;
		const most = `${limits.imagePixels} pixels and ${limits.imageInputBytes} bytes`;
		return refusal(
			"too-large",
			`The image has ${description}; at most ${most} are read. Make it smaller first.`,
		);
	}
	return { ok: true, bytes, mimeType, width, height };
}

export async function fit(
	bytes: Uint8Array,
	imageLimits: ImageLimits = modelLimits,
): Promise<FittedImage | ImageRefusal> {
	const image = checkImage(bytes);
	if (!image.ok) return image;
	const { mimeType, width, height } = image;
	try {
		if (mimeType === "image/webp") {
			const first = firstFrame(bytes);
			if (first) return await still(first, image, imageLimits);
		}
		const isSmall = Math.max(width, height) <= imageLimits.maxSide && fits(bytes, imageLimits);
		if (isSmall && sendable.has(mimeType)) {
			await decode(bytes);
			return image;
		}
		const decodable = mimeType === "image/bmp" ? (withoutPalette(bytes) ?? bytes) : bytes;
		return await shrink(image, decodable, imageLimits);
	} catch {
		// Bun reports only that decoding failed.
		return refusal("damaged", `This ${nameOf(mimeType)} image cannot be decoded: it is truncated or broken.`);
	}
}

type Image = { bytes: Uint8Array; mimeType: ImageType; width: number; height: number };

/** Throws for a broken image: a server that cannot decode it would refuse the whole conversation. */
async function decode(bytes: Uint8Array): Promise<void> {
	await openImage(bytes).resize(1, 1, { filter: "nearest" }).jpeg().bytes();
}

export function openImage(bytes: Uint8Array): Bun.Image {
	return new Bun.Image(bytes, { maxPixels: limits.imagePixels });
}

/** An animation as its first frame. */
async function still(
	{ bytes, width, height, frames }: FirstFrame,
	animation: Image,
	imageLimits: ImageLimits,
): Promise<FittedImage | ImageRefusal> {
	if (width * height > limits.imagePixels) throw new Error("the frame is larger than the image");
	const frame = { ...animation, width, height };
	const fitted = await shrink(frame, bytes, imageLimits);
	return fitted.ok ? { ...fitted, frames } : fitted;
}

async function shrink(
	image: Image,
	decodable: Uint8Array,
	{ maxSide, maxBase64Bytes }: ImageLimits,
): Promise<FittedImage | ImageRefusal> {
	const { bytes, mimeType, width, height } = image;
	const original = { mimeType, width, height, bytes: bytes.length };
	// Text in a screenshot stays sharp as PNG; a photo already was a JPEG.
	const isPhoto = mimeType === "image/jpeg";
	const largest = Math.min(maxSide, Math.max(width, height));
	for (let side = largest; side >= 1; side = Math.floor(side * shrinkStep)) {
		for (const quality of isPhoto ? jpegQualities : [undefined, ...jpegQualities]) {
			const smaller = openImage(decodable).resize(side, side, { fit: "inside", withoutEnlargement: true });
			const encoded = await (quality === undefined ? smaller.png() : smaller.jpeg({ quality })).bytes();
			if (!fits(encoded, { maxSide, maxBase64Bytes })) continue;
			const made = identifyImage(encoded);
			if (!made?.size) continue;
			return { ok: true, bytes: encoded, mimeType: made.mimeType, ...made.size, original };
		}
	}
	return refusal("too-large", `No version of the image fits into ${maxBase64Bytes} bytes.`);
}

const jpegQualities = [85, 70, 50] as const;
/** Each step has about half the pixels of the previous one. */
const shrinkStep = 0.7;

function fits(bytes: Uint8Array, { maxBase64Bytes }: ImageLimits): boolean {
	return Math.ceil(bytes.length / 3) * 4 <= maxBase64Bytes;
}

function nameOf(mimeType: ImageType): string {
	return mimeType.slice("image/".length).toUpperCase();
}

function refusal(problem: ImageRefusal["problem"], message: string): ImageRefusal {
	return { ok: false, problem, message };
}

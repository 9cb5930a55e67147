/** Detects the type and size of an image from its header alone. */

export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/bmp";

export interface ImageInfo {
	mimeType: ImageType;
	/** Absent when the bytes end before the size. */
	size?: { width: number; height: number };
}

/** The first 64 KB are enough, except for a JPEG that begins with a long comment or thumbnail. */
export function identifyImage(bytes: Uint8Array): ImageInfo | undefined {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	for (const { mimeType, matches, size } of formats) {
		if (!matches(bytes)) continue;
		const dimensions = size(view);
		return dimensions && dimensions.width > 0 && dimensions.height > 0
			? { mimeType, size: dimensions }
			: { mimeType };
	}
	return undefined;
}

type Size = { width: number; height: number };
type Format = {
	mimeType: ImageType;
	matches(bytes: Uint8Array): boolean;
	size(view: DataView): Size | undefined;
};

const formats: readonly Format[] = [
	{
		mimeType: "image/png",
		matches: (bytes) => hasText(bytes, 0, "\x89PNG\r\n\x1a\n"),
		size: (view) =>
			view.byteLength < 24 ? undefined : { width: view.getUint32(16), height: view.getUint32(20) },
	},
	{ mimeType: "image/jpeg", matches: (bytes) => hasText(bytes, 0, "\xff\xd8\xff"), size: jpegSize },
	{
		mimeType: "image/gif",
		matches: (bytes) => hasText(bytes, 0, "GIF87a") || hasText(bytes, 0, "GIF89a"),
		size: (view) =>
			view.byteLength < 10 ? undefined : { width: view.getUint16(6, true), height: view.getUint16(8, true) },
	},
	{
		mimeType: "image/webp",
		matches: (bytes) => hasText(bytes, 0, "RIFF") && hasText(bytes, 8, "WEBP"),
		size: webpSize,
	},
	{
		mimeType: "image/bmp",
		// Two letters alone would match many texts, so the size of the second header must be a valid one.
		matches: (bytes) => hasText(bytes, 0, "BM") && [12, 40, 52, 56, 108, 124].includes(bytes[14] ?? 0),
		size: bmpSize,
	},
];

function hasText(bytes: Uint8Array, at: number, text: string): boolean {
	for (let index = 0; index < text.length; index++) {
		if (bytes[at + index] !== text.charCodeAt(index)) return false;
	}
	return true;
}

/** Skips segments until the one that starts a frame. */
function jpegSize(view: DataView): Size | undefined {
	let at = 2;
	while (at + 9 <= view.byteLength) {
		const marker = view.getUint8(at + 1);
		if (view.getUint8(at) !== 0xff) return undefined;
		// Any number of 0xff may come before a marker.
		if (marker === 0xff) at++;
		else if (isFrame(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
		else at += 2 + view.getUint16(at + 2);
	}
	return undefined;
}

/** SOF0 to SOF15, without the tables (DHT, JPG, DAC) that are numbered among them. */
function isFrame(marker: number): boolean {
	return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function webpSize(view: DataView): Size | undefined {
	if (view.byteLength < 30) return undefined;
	const chunk = view.getUint32(12);
	// "VP8 ", "VP8L", "VP8X": lossy, lossless, extended.
	if (chunk === 0x56503820) {
		return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
	}
	if (chunk === 0x5650384c) {
		const bits = view.getUint32(21, true);
		return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
	}
	if (chunk !== 0x56503858) return undefined;
	return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
}

function uint24(view: DataView, at: number): number {
	return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

function bmpSize(view: DataView): Size | undefined {
	if (view.byteLength < 26) return undefined;
	if (view.getUint32(14, true) === 12) {
		return { width: view.getUint16(18, true), height: view.getUint16(20, true) };
	}
	// A negative height means that the rows go from top to bottom.
	return { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) };
}

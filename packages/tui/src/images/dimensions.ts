/** Reads the size of an image in pixels from the first bytes of its file. */

export interface ImageDimensions {
	widthPx: number;
	heightPx: number;
}

/** The part of a JPEG that contains its size: after all the metadata of a camera. */
const headChars = 256 * 1024;

export function getImageDimensions(base64Data: string, mimeType: string): ImageDimensions | null {
	if (mimeType === "image/png") return getPngDimensions(base64Data);
	if (mimeType === "image/jpeg") return getJpegDimensions(base64Data);
	if (mimeType === "image/gif") return getGifDimensions(base64Data);
	return mimeType === "image/webp" ? getWebpDimensions(base64Data) : null;
}

export function getPngDimensions(base64Data: string): ImageDimensions | null {
	const bytes = head(base64Data);
	if (bytes.length < 24 || bytes.readUInt32BE(0) !== 0x89504e47) return null;
	return sized(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
}

export function getGifDimensions(base64Data: string): ImageDimensions | null {
	const bytes = head(base64Data);
	if (bytes.length < 10 || bytes.toString("latin1", 0, 3) !== "GIF") return null;
	return sized(bytes.readUInt16LE(6), bytes.readUInt16LE(8));
}

/** Skips segments until the one that begins a frame. */
export function getJpegDimensions(base64Data: string): ImageDimensions | null {
	const bytes = head(base64Data);
	if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
	for (let at = 2; at + 9 <= bytes.length;) {
		if (bytes[at] !== 0xff) return null;
		const marker = bytes[at + 1] ?? 0;
		// Start of frame, in all its kinds; C4, C8 and CC are tables.
		const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
		if (isFrame) return sized(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
		at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
	}
	return null;
}

export function getWebpDimensions(base64Data: string): ImageDimensions | null {
	const bytes = head(base64Data);
	if (bytes.length < 30 || bytes.toString("latin1", 8, 12) !== "WEBP") return null;
	const kind = bytes.toString("latin1", 12, 16);
	if (kind === "VP8 ") return sized(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
	if (kind === "VP8X") return sized(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
	if (kind !== "VP8L") return null;
	const bits = bytes.readUInt32LE(21);
	return sized((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1);
}

function head(base64Data: string): Buffer {
	return Buffer.from(base64Data.slice(0, headChars), "base64");
}

function sized(widthPx: number, heightPx: number): ImageDimensions | null {
	return widthPx > 0 && heightPx > 0 ? { widthPx, heightPx } : null;
}

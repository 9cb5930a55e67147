/** Reads a PNG with a palette, as Bun writes it: eight bits per pixel, not interlaced. */
import { inflateSync } from "node:zlib";

import type { IndexedImage, PaletteColor } from "./sixel.ts";

/** Less opaque colors are left out: a terminal cannot mix them with its background. */
const opaqueFrom = 128;

export function readIndexedPng(bytes: Uint8Array): IndexedImage {
	const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
	const parts: Buffer[] = [];
	let [header, colors, opacities]: (Buffer | undefined)[] = [];
	for (let at = 8; at + 12 <= file.length;) {
		const end = at + 8 + file.readUInt32BE(at);
		const name = file.toString("latin1", at + 4, at + 8);
		const data = file.subarray(at + 8, end);
		if (name === "IHDR") header = data;
		else if (name === "PLTE") colors = data;
		else if (name === "tRNS") opacities = data;
		else if (name === "IDAT") parts.push(data);
		at = end + 4;
	}
	// Depth 8, type 3 (palette), compression, filter and interlace 0.
	if (header?.toString("hex", 8, 13) !== "0803000000" || colors === undefined) {
		throw new Error("this is not a PNG with a palette of eight bits");
	}
	const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
	const rows = inflateSync(Buffer.concat(parts), { maxOutputLength: (width + 1) * height });
	return { width, height, palette: paletteOf(colors, opacities), pixels: unfiltered(rows, width, height) };
}

function paletteOf(colors: Buffer, opacities: Buffer | undefined): PaletteColor[] {
	return Array.from({ length: Math.floor(colors.length / 3) }, (_, at) => ({
		red: colors[at * 3] ?? 0,
		green: colors[at * 3 + 1] ?? 0,
		blue: colors[at * 3 + 2] ?? 0,
		isTransparent: (opacities?.[at] ?? 255) < opaqueFrom,
	}));
}

/** Each row begins with the number of its filter: what its pixels are the difference to. */
function unfiltered(rows: Buffer, width: number, height: number): Uint8Array {
	const pixels = new Uint8Array(width * height);
	for (let row = 0; row < height; row++) {
		const filter = rows[row * (width + 1)] ?? 0;
		for (let column = 0; column < width; column++) {
			const at = row * width + column;
			const left = column > 0 ? (pixels[at - 1] ?? 0) : 0;
			const above = row > 0 ? (pixels[at - width] ?? 0) : 0;
			const corner = column > 0 && row > 0 ? (pixels[at - width - 1] ?? 0) : 0;
			const difference = rows[row * (width + 1) + 1 + column] ?? 0;
			pixels[at] = difference + predicted(filter, left, above, corner);
		}
	}
	return pixels;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
	if (filter === 1) return left;
	if (filter === 2) return above;
	if (filter === 3) return (left + above) >> 1;
	return filter === 4 ? paeth(left, above, corner) : 0;
}

/** The neighbor that is nearest to their plane. */
function paeth(left: number, above: number, corner: number): number {
	const plane = left + above - corner;
	const [toLeft, toAbove, toCorner] = [
		Math.abs(plane - left),
		Math.abs(plane - above),
		Math.abs(plane - corner),
	] as const;
	if (toLeft <= toAbove && toLeft <= toCorner) return left;
	return toAbove <= toCorner ? above : corner;
}

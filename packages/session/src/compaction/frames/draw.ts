/** Draws a page of cells as an image: as high as its rows, in black, gray and the hues of sentences. */
import { glyphOf, type Font } from "./font.ts";
import { encodePng } from "./png.ts";
import { gutter, type Shape } from "./shape.ts";
import type { Page } from "./typeset.ts";

/** White, then the inks of `typeset.ts`. The hues are dark: light ones are hard to read on white. */
const plain = [
	[255, 255, 255],
	[0, 0, 0],
	[128, 128, 128],
] as const;
const colored = [...plain, [0, 32, 128], [128, 16, 32], [0, 96, 40], [96, 32, 120]] as const;

export interface Drawn {
	png: Buffer;
	width: number;
	height: number;
}

export function drawPage(page: Page, shape: Shape, font: Font): Drawn {
	const { pitch, columns, chars, pixels: width, rows: most, hues } = shape;
	const [cellWidth, cellHeight] = pitch;
	const height = Math.min(page.length, most) * cellHeight;
	const pixels = new Uint8Array(width * height);
	for (const [index, row] of page.entries()) {
		const column = Math.floor(index / most);
		if (column >= columns) break;
		const top = (index % most) * cellHeight;
		const left = column * (chars + gutter) * cellWidth;
		for (const [position, { char, ink }] of row.entries()) {
			const glyph = glyphOf(char, font);
			if (glyph) stamp(pixels, width, glyph, left + position * cellWidth, top, ink + 1);
		}
	}
	return { png: encodePng({ width, height, pixels, palette: hues ? colored : plain }), width, height };
}

function stamp(
	pixels: Uint8Array,
	width: number,
	glyph: Uint8Array,
	left: number,
	top: number,
	color: number,
): void {
	for (let y = 0; y < glyph.length; y++) {
		let bits = glyph[y] ?? 0;
		for (let at = (top + y) * width + left; bits !== 0; at++, bits = (bits << 1) & 0xff)
			if (bits & 0x80) pixels[at] = color;
	}
}

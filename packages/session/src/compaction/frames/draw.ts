/** Draws a page of cells as an image: as high as its rows, in black, gray and the hues of sentences. */
import { glyphOf, type Font } from "./font.ts";
import { IndexedImage } from "./png.ts";
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

export async function drawPage({ cells, rows }: Page, shape: Shape, font: Font): Promise<Drawn> {
	const { pitch, columns, chars, pixels: width, rows: most, hues } = shape;
	const [cellWidth, cellHeight] = pitch;
	const height = Math.min(rows.length, most) * cellHeight;
	const image = new IndexedImage(width, height, hues ? colored : plain);
	for (const [index, { start, end }] of rows.entries()) {
		const column = Math.floor(index / most);
		if (column >= columns) break;
		const top = (index % most) * cellHeight;
		let left = column * (chars + gutter) * cellWidth;
		for (let at = start; at < end; at++, left += cellWidth) {
			const glyph = glyphOf(cells.codes[at] ?? 0, font);
			if (glyph) image.stamp(glyph, left, top, (cells.inks[at] ?? 0) + 1);
		}
	}
	return { png: await image.encode(), width, height };
}

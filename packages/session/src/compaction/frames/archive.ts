/** The history of a session on images: frames of earlier compactions fade from the middle, new ones are added. */
import { setImmediate } from "node:timers/promises";

import { shortened } from "@tau/agent";

import type { Archive, Frame } from "@tau/log";
import { fontOf, glyphOf, type Font } from "./font.ts";
import { IndexedImage } from "./png.ts";
import { gutter, tokensOf, type Shape } from "./shape.ts";
import { textOfPages, typeset, type Page, type Passage } from "./typeset.ts";

export interface PrintRequest {
	passages: readonly Passage[];
	shape: Shape;
	api: string;
	/** The frames of earlier compactions. */
	before?: Archive | undefined;
	/** How many frames a request may have. */
	most: number;
	/** For what does not fit on the frames. */
	tailChars: number;
}

export interface Printed {
	archive: Archive;
	/** The end of the history, which did not fit. */
	tail: string;
	/** The share of characters without a glyph. */
	unknownShare: number;
}

/** Yields to keys and timers after each frame. */
export async function printHistory(request: PrintRequest): Promise<Printed> {
	const { passages, shape, api, before, most, tailChars } = request;
	const font = fontOf(shape.font);
	const { pages, chars, unknown } = typeset(passages, shape, font);
	const earlier = before?.frames ?? [];
	// The first frame stays: where there is room for one alone, what is new stays text.
	const added = Math.min(pages.length, most - Math.min(1, earlier.length));
	const kept = fade(earlier, most - added);
	const drawn: Promise<Frame>[] = [];
	for (const page of pages.slice(0, added)) {
		drawn.push(frameOf(page, shape, api));
		await setImmediate();
	}
	const frames = [...kept, ...(await Promise.all(drawn))];
	const faded = (before?.faded ?? 0) + earlier.length - kept.length;
	return {
		archive: { shape: shape.name, frames, ...(faded > 0 ? { faded } : {}) },
		tail: shortened(textOfPages(pages.slice(added)), tailChars),
		unknownShare: chars === 0 ? 0 : unknown / chars,
	};

	async function frameOf(page: Page, { detail }: Shape, price: string): Promise<Frame> {
		const { png, width, height } = await drawPage(page, shape, font);
		const image = { type: "image" as const, data: png.toString("base64"), mimeType: "image/png" };
		return { ...image, ...(detail === undefined ? {} : { detail }), tokens: tokensOf(price, width, height) };
	}
}

/** The first frame has what the user wanted in the first place, and the newest have what matters now. */
function fade(frames: readonly Frame[], most: number): readonly Frame[] {
	if (frames.length <= most) return frames;
	if (most <= 0) return [];
	return [...frames.slice(0, 1), ...frames.slice(frames.length - most + 1)];
}

/** White, then the inks of `typeset.ts`. The hues are dark: light ones are hard to read on white. */
const plain = [
	[255, 255, 255],
	[0, 0, 0],
	[128, 128, 128],
] as const;
const colored = [...plain, [0, 32, 128], [128, 16, 32], [0, 96, 40], [96, 32, 120]] as const;

interface Drawn {
	png: Buffer;
	width: number;
	height: number;
}

/** Draws a page as an image: as high as its rows, in black, gray and the hues of sentences. */
async function drawPage({ cells, rows }: Page, shape: Shape, font: Font): Promise<Drawn> {
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

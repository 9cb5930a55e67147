/** The rows of an image, in the protocol of this terminal. */
import { oneLine } from "@tau/utils";

import { imageLimits } from "../limits.ts";
import { getCapabilities, hasPlaceholders } from "./capabilities.ts";
import type { ImageDimensions } from "./dimensions.ts";
import { allocateImageId, placeholderRows } from "./kitty.ts";
import { hasImage, imageMarker, type Picture } from "./placed.ts";
import { calculateImageCellSize } from "./size.ts";

export interface ImageRenderOptions {
	maxWidthCells?: number;
	maxHeightCells?: number;
	preserveAspectRatio?: boolean;
	imageId?: number;
	/** For components written for pi: the engine restores the cursor anyway. */
	moveCursor?: boolean;
}

/** `undefined` if the terminal shows no images. */
export function pictureKind(): Picture["kind"] | undefined {
	const { images } = getCapabilities();
	if (images === "kitty" && hasPlaceholders()) return "placeholders";
	return images ?? undefined;
}

export function pictureRows(picture: Picture): string[] {
	const { id, columns, rows, kind } = picture;
	const cells =
		kind === "placeholders" ? placeholderRows(id, columns, rows) : Array.from({ length: rows }, () => "");
	const last = cells.length - 1;
	return cells.map((row, at) => (at === last ? imageMarker(picture) + row : row));
}

/** For components written for pi: the sequence belongs on the last row of the image. */
export function renderImage(
	base64Data: string,
	dimensions: ImageDimensions,
	options: ImageRenderOptions = {},
): { sequence: string; rows: number; imageId?: number } | null {
	const { images } = getCapabilities();
	// Sixel has to be made first, which takes a moment: `Image` waits for it.
	if (images === null || images === "sixel") return null;
	const { maxWidthCells = imageLimits.columns, maxHeightCells, imageId = allocateImageId() } = options;
	const size = calculateImageCellSize(dimensions, maxWidthCells, maxHeightCells);
	const sequence = imageMarker({ id: imageId, data: base64Data, kind: images, ...size });
	return { sequence, rows: size.rows, imageId };
}

export function isImageLine(line: string): boolean {
	return hasImage(line);
}

export function imageFallback(mimeType: string, dimensions?: ImageDimensions, filename?: string): string {
	const kind = oneLine(mimeType.replace(/^image\//, ""), imageLimits.nameChars).toUpperCase();
	const size = dimensions === undefined ? "" : ` ${dimensions.widthPx}x${dimensions.heightPx}`;
	const name = filename === undefined ? "" : ` ${oneLine(filename, imageLimits.nameChars)}`;
	return `[image:${name} ${kind}${size}]`;
}

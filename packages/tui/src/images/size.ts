/** Computes how many cells an image takes. */
import { imageLimits } from "../limits.ts";
import { getCellDimensions, type CellDimensions } from "./capabilities.ts";
import type { ImageDimensions } from "./dimensions.ts";

export interface ImageCellSize {
	columns: number;
	rows: number;
}

/** Its own size, limited to the allowed width and height, in its own proportions. */
export function calculateImageCellSize(
	image: ImageDimensions,
	maxWidthCells: number,
	maxHeightCells: number = imageLimits.rows,
	cell: CellDimensions = getCellDimensions(),
): ImageCellSize {
	const most = {
		width: Math.max(1, maxWidthCells) * cell.widthPx,
		height: Math.max(1, Math.min(maxHeightCells, imageLimits.rows)) * cell.heightPx,
	};
	const scale = Math.min(1, most.width / image.widthPx, most.height / image.heightPx);
	return {
		columns: Math.max(1, Math.round((image.widthPx * scale) / cell.widthPx)),
		rows: Math.max(1, Math.ceil((image.heightPx * scale) / cell.heightPx)),
	};
}

/**
 * The same for sixel. Its last row stays free: terminals move the cursor into the row below the image, which would
 * scroll the screen if it were the last.
 */
export function sixelCellSize(
	image: ImageDimensions,
	maxWidthCells: number,
	maxHeightCells?: number,
): ImageCellSize {
	const cell = getCellDimensions();
	const height = Math.min(maxHeightCells ?? imageLimits.rows, imageLimits.rows) - 1;
	const whole = calculateImageCellSize(image, maxWidthCells, height);
	const pixels = whole.columns * cell.widthPx * whole.rows * cell.heightPx;
	const share = Math.min(1, Math.sqrt(imageLimits.sixelPixels / pixels));
	const columns = Math.max(1, Math.floor(whole.columns * share));
	const size = share < 1 ? calculateImageCellSize(image, columns, height) : whole;
	return { columns: size.columns, rows: size.rows + 1 };
}

export function calculateImageRows(
	image: ImageDimensions,
	targetWidthCells: number,
	cell: CellDimensions = getCellDimensions(),
): number {
	const scale = (targetWidthCells * cell.widthPx) / image.widthPx;
	return Math.max(1, Math.ceil((image.heightPx * scale) / cell.heightPx));
}

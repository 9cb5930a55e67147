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

export function calculateImageRows(
	image: ImageDimensions,
	targetWidthCells: number,
	cell: CellDimensions = getCellDimensions(),
): number {
	const scale = (targetWidthCells * cell.widthPx) / image.widthPx;
	return Math.max(1, Math.ceil((image.heightPx * scale) / cell.heightPx));
}

/** Computes the position of an overlay and draws it over the screen. */
import { visibleWidth } from "@tau/sys";

import { cutCells, layOver } from "./cells.ts";
import { makeRow, type Row } from "./row.ts";
import { writeStyled } from "./styles.ts";

export type OverlayAnchor =
	| "center"
	| "top-left"
	| "top-right"
	| "bottom-left"
	| "bottom-right"
	| "top-center"
	| "bottom-center"
	| "left-center"
	| "right-center";

export interface OverlayMargin {
	top?: number;
	right?: number;
	bottom?: number;
	left?: number;
}

/** Cells, or a share of the screen. */
export type SizeValue = number | `${number}%`;

export interface OverlayOptions {
	width?: SizeValue;
	minWidth?: number;
	maxHeight?: SizeValue;
	/** The center of the screen by default. */
	anchor?: OverlayAnchor;
	/** Moves it right, or left when negative. */
	offsetX?: number;
	/** Moves it down, or up when negative. */
	offsetY?: number;
	/** Instead of an anchor: the row, or a share of the free rows. */
	row?: SizeValue;
	/** Instead of an anchor: the column, or a share of the free columns. */
	col?: SizeValue;
	/** Kept free at the edges of the screen. */
	margin?: OverlayMargin | number;
	/** Called in every frame; the overlay is hidden while this returns false. */
	visible?: (termWidth: number, termHeight: number) => boolean;
	/** The overlay does not take the focus. */
	nonCapturing?: boolean;
}

/** Rows that are drawn over the screen at (row, column). */
export interface Layer {
	row: number;
	column: number;
	width: number;
	rows: string[];
}

/** The default width of an overlay: longer lines are hard to read. */
const readableWidth = 80;

export function placeOverlay(
	render: (width: number) => string[],
	options: OverlayOptions,
	columns: number,
	height: number,
): Layer {
	const margin = margins(options.margin);
	const room = {
		width: Math.max(1, columns - margin.left - margin.right),
		height: Math.max(1, height - margin.top - margin.bottom),
	};
	const requested = cellsOf(options.width, columns) ?? Math.min(readableWidth, room.width);
	const width = clamp(Math.max(requested, options.minWidth ?? 1), 1, room.width);
	const most = clamp(cellsOf(options.maxHeight, height) ?? room.height, 1, room.height);
	const rows = render(width).slice(0, most);
	const [down = "center", across = "center"] = sides(options.anchor ?? "center");
	const free = { rows: room.height - rows.length, columns: room.width - width };
	const row = margin.top + along(options.row, down, free.rows) + (options.offsetY ?? 0);
	const column = margin.left + along(options.col, across, free.columns) + (options.offsetX ?? 0);
	return {
		row: clamp(row, margin.top, margin.top + free.rows),
		column: clamp(column, margin.left, margin.left + free.columns),
		width,
		rows,
	};
}

/** The rows of the window with the layers over them; the last layer is on top. */
export function layLayers(window: readonly Row[], layers: readonly Layer[], columns: number): Row[] {
	const rows = withoutCoveredImages(window, layers);
	for (const { row, column, width, rows: over } of layers) {
		for (const [at, raw] of over.entries()) {
			const base = rows[row + at];
			if (base === undefined) break;
			const top = makeRow(raw, width);
			const written = writeStyled(cutCells(layOver(base.text, top.text, column, width), columns));
			const caret = top.caret === undefined ? base.caret : column + top.caret;
			rows[row + at] = {
				raw: written.text,
				...written,
				cells: visibleWidth(written.text),
				caret,
				image: undefined,
			};
		}
	}
	return rows;
}

/** An image would be drawn over the layer, so it is not drawn until the layer is gone. */
function withoutCoveredImages(window: readonly Row[], layers: readonly Layer[]): Row[] {
	return window.map((line, at) => {
		const { image } = line;
		if (image === undefined) return line;
		const covered = layers.some(({ row, rows }) => row <= at && row + rows.length > at - image.rows + 1);
		return covered ? { ...line, image: undefined } : line;
	});
}

function margins(margin: OverlayOptions["margin"]): Required<OverlayMargin> {
	const all = typeof margin === "number" ? margin : 0;
	const { top, right, bottom, left } = typeof margin === "object" ? margin : {};
	const side = (value: number | undefined) => Math.max(0, Math.floor(value ?? all));
	return { top: side(top), right: side(right), bottom: side(bottom), left: side(left) };
}

function cellsOf(size: SizeValue | undefined, whole: number): number | undefined {
	if (size === undefined) return undefined;
	if (typeof size === "number") return Math.floor(size);
	const share = Number.parseFloat(size);
	return Number.isFinite(share) ? Math.floor((whole * share) / 100) : undefined;
}

function sides(anchor: OverlayAnchor): string[] {
	if (anchor === "left-center") return ["center", "left"];
	if (anchor === "right-center") return ["center", "right"];
	return anchor === "center" ? ["center", "center"] : anchor.split("-");
}

function along(size: SizeValue | undefined, side: string, free: number): number {
	if (typeof size === "number") return Math.floor(size);
	const share = cellsOf(size, Math.max(0, free));
	if (share !== undefined) return share;
	if (side === "top" || side === "left") return 0;
	return side === "bottom" || side === "right" ? free : Math.floor(free / 2);
}

/** `low` wins where there is no room. */
function clamp(value: number, low: number, high: number): number {
	return Math.max(low, Math.min(high, value));
}

/** Draws the editor: borders with the number of hidden lines, the rows between them, the search line. */
import { visibleWidth } from "@tau/sys";

import { previousEdge } from "./clusters.ts";
import type { Layout, View } from "./layout.ts";
import type { Position } from "./position.ts";
import { drawRow, type RowStyle } from "./row-drawing.ts";

export interface FrameState {
	lines: readonly string[];
	/** Undefined while the caret is elsewhere, as in a search. */
	caret: Position | undefined;
	selection: { from: Position; to: Position } | undefined;
	style: Omit<RowStyle, "width">;
	border: (text: string) => string;
	height: number;
	paddingX: number;
	/** Additional text at the right of the lower border, such as a mode. */
	note: string;
	/** Replaces the lower border; fits the width. */
	footer: string | undefined;
}

interface Columns {
	padding: number;
	/** The width for text; one more cell, which may be padding, is reserved for the caret after a full row. */
	text: number;
	room: number;
}

function columnsOf(width: number, paddingX: number): Columns {
	const padding = Math.max(0, Math.min(paddingX, Math.floor((width - 1) / 2)));
	const room = Math.max(1, width - 2 * padding);
	return { padding, text: padding > 0 ? room : Math.max(1, room - 1), room: padding > 0 ? room + 1 : room };
}

export function drawFrame(state: FrameState, layout: Layout, width: number): string[] {
	const columns = columnsOf(width, state.paddingX);
	layout.setWidth(columns.text);
	const view = layout.view(state.lines, state.caret ?? { line: 0, col: 0 }, state.height);
	return [
		drawBorder(state, "↑", view.above, "", width),
		...view.rows.map((row) => drawText(state, row, columns, width)),
		state.footer ?? drawBorder(state, "↓", view.below, state.note, width),
	];
}

function drawText(state: FrameState, row: View["rows"][number], columns: Columns, width: number): string {
	const line = state.lines[row.line] ?? "";
	const style = { ...state.style, width: columns.text };
	const selected = selectedIn(state.selection, row.line, line.length);
	let caret = caretIn(state.caret, row);
	let drawn = drawRow(line, row, { caret, selected }, style);
	// There is no cell after the text, as on a screen of one column: the caret is on the last character.
	while (drawn.cells > columns.room && caret !== undefined && caret > row.start) {
		caret = previousEdge(line, caret);
		drawn = drawRow(line, row, { caret, selected }, style);
	}
	const left = " ".repeat(columns.padding);
	const right = " ".repeat(Math.max(0, width - columns.padding - drawn.cells));
	return left + drawn.text + right;
}

/** The end of a row is the start of the next one; only in the last row of a line the caret can be after it. */
function caretIn(caret: Position | undefined, row: View["rows"][number]): number | undefined {
	if (caret === undefined || caret.line !== row.line || caret.col < row.start) return undefined;
	return caret.col < row.end || row.isLast ? caret.col : undefined;
}

function selectedIn(
	selection: FrameState["selection"],
	line: number,
	length: number,
): { from: number; to: number } | undefined {
	if (selection === undefined || line < selection.from.line || line > selection.to.line) return undefined;
	return {
		from: line === selection.from.line ? selection.from.col : 0,
		to: line === selection.to.line ? selection.to.col : length,
	};
}

function drawBorder(
	{ border }: FrameState,
	arrow: string,
	hidden: number,
	note: string,
	width: number,
): string {
	const label = hidden > 0 ? `─── ${arrow} ${hidden} more ` : "";
	const right = note === "" ? "" : ` ${note} ─`;
	const line = width - visibleWidth(label) - visibleWidth(right);
	if (line < 0) return border("─".repeat(width));
	return border(label + "─".repeat(line) + right);
}

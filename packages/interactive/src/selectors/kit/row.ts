/** Rows of a list: a text that fills the available space, with columns beside it that are dropped if there is too little. */
import { truncateToWidth, visibleWidth } from "@tau/tui";
import { oneLine, stripControls } from "@tau/utils";

import { limits } from "../limits.ts";

export interface Column {
	text: string;
	width: number;
	align?: "left" | "right";
	paint?: (text: string) => string;
}

const gap = 2;
/** Marks the end of the space between a text and its columns: a list removes what no row needs. */
const flexible = "\u{F0000}";

/** The columns are aligned to the right edge; if not all fit, the last are dropped first. */
export function row(
	main: string,
	columns: readonly Column[],
	width: number,
	paint: (text: string) => string = same,
): string {
	const shown = columnsThatFit(columns, width);
	const room = width - shown.reduce((sum, column) => sum + column.width + gap, 0);
	const text = truncateToWidth(main, Math.max(1, room));
	const beside = shown.map((column) => " ".repeat(gap) + cell(column)).join("");
	if (beside === "") return paint(text);
	return paint(text) + " ".repeat(Math.max(0, room - visibleWidth(text))) + flexible + beside;
}

const stretch = new RegExp(`( *)${flexible}`, "u");

/** Moves the columns next to the longest text, the same for all rows. */
export function aligned(rows: readonly string[], among: readonly string[] = rows): string[] {
	const cells = Math.min(...among.flatMap((text) => slackOf(text) ?? []));
	return rows.map((text) => tightened(text, Number.isFinite(cells) ? cells : 0));
}

/** How many cells between text and columns a row could do without; undefined if it has no columns. */
function slackOf(text: string): number | undefined {
	return stretch.exec(text)?.[1]?.length;
}

/** The row without so many of these cells. */
function tightened(text: string, cells: number): string {
	return text.replace(stretch, (_, blank: string) => blank.slice(cells));
}

/** The first rows of a text; the last one shows that there is more. */
export function firstRows(rows: readonly string[], most: number, width: number): string[] {
	if (rows.length <= most) return [...rows];
	const last = truncateToWidth(rows[most - 1] ?? "", Math.max(1, width - 2), "");
	return [...rows.slice(0, most - 1), `${last.trimEnd()} …`];
}

/** Foreign text for one row. */
export function plain(text: string): string {
	return oneLine(stripControls(text, { newline: false, tab: false }), limits.rowChars);
}

function columnsThatFit(columns: readonly Column[], width: number): Column[] {
	const shown: Column[] = [];
	let left = width - limits.leastMain;
	for (const column of columns) {
		if (column.width === 0) continue;
		left -= column.width + gap;
		if (left < 0) break;
		shown.push(column);
	}
	return shown;
}

function cell({ text, width, align = "left", paint = same }: Column): string {
	const cut = truncateToWidth(text, width);
	const space = " ".repeat(Math.max(0, width - visibleWidth(cut)));
	return align === "right" ? space + paint(cut) : paint(cut) + space;
}

function same(text: string): string {
	return text;
}

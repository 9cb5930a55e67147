/** Lays out a table in the available width: columns that fit, cells that wrap, or a list of records. */
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "../text.ts";
import type { Align, Table } from "./leaf.ts";
import { markdownLimits } from "./limits.ts";
import type { GrowingRows } from "./line-rows.ts";
import type { Look } from "./theme.ts";

/** A rendered cell; an open one may still grow. */
export type PaintCell = (text: string, isHeader: boolean, isOpen: boolean) => string;

interface Cell {
	painted: string;
	cells: number;
}

interface Columns {
	/** Undefined if the columns cannot fit: each row is a record then. */
	widths: readonly number[];
	/** True if some cells wrap, so that lines must separate the rows of the table. */
	hasLines: boolean;
}

const gap = " │ ";
const crossing = "─┼─";

export class TableRows implements GrowingRows {
	readonly isProvisional = false;
	readonly isWaiting = false;
	readonly #table: Table;
	readonly #width: number;
	readonly #look: Look;
	readonly #paint: PaintCell;
	readonly #header: Cell[];
	/** The cells of finished rows, which are parsed once. */
	readonly #body: Cell[][] = [];
	/** The fixed columns: rows that were drawn with them stay. */
	#columns: Columns | undefined;
	#drawn = 0;

	constructor(table: Table, width: number, look: Look, paint: PaintCell) {
		this.#table = table;
		this.#width = width;
		this.#look = look;
		this.#paint = paint;
		const last = table.header.length - 1;
		this.#header = table.header.map((text, at) => this.#cell(text, true, table.isGuess && at === last));
	}

	/** Returns further rows that will not change, once there are enough rows to fix the columns. */
	settle(finished: number): string[] {
		this.#read(finished);
		if (finished < markdownLimits.measuredRows) return [];
		const isFirst = this.#columns === undefined;
		this.#columns ??= this.#fit(this.#body);
		const head = isFirst ? this.#head(this.#columns) : [];
		const rows = this.#rows(this.#body.slice(this.#drawn), this.#columns, this.#drawn > 0);
		this.#drawn = this.#body.length;
		return [...head, ...rows];
	}

	finish(): string[] {
		return this.rest();
	}

	rest(): string[] {
		const { rows } = this.#table;
		const open = rows.slice(this.#body.length).map((cells, at) => {
			const last = this.#body.length + at === rows.length - 1 ? lastFilled(cells) : -1;
			return cells.map((text, column) => this.#cell(text, false, this.#table.isOpen && column === last));
		});
		const left = [...this.#body.slice(this.#drawn), ...open];
		if (this.#columns) return this.#rows(left, this.#columns, this.#drawn > 0);
		const columns = this.#fit(left);
		return [...this.#head(columns), ...this.#rows(left, columns, false)];
	}

	#read(finished: number): void {
		for (const cells of this.#table.rows.slice(this.#body.length, finished)) {
			this.#body.push(cells.map((text) => this.#cell(text, false, false)));
		}
	}

	#cell(text: string, isHeader: boolean, isOpen: boolean): Cell {
		const painted = this.#paint(text, isHeader, isOpen);
		return { painted, cells: widest(painted) };
	}

	#fit(body: readonly Cell[][]): Columns {
		const measured = [this.#header, ...body.slice(0, markdownLimits.measuredRows)];
		const natural = this.#header.map((_, at) => Math.max(1, ...measured.map((row) => row[at]?.cells ?? 0)));
		const room = this.#width - gap.length * (natural.length - 1);
		const spare = room - natural.reduce((sum, cells) => sum + cells, 0);
		const isDecided = body.length >= markdownLimits.measuredRows;
		const widths = spare < 0 ? shrunk(natural, room) : isDecided ? widened(natural, spare) : natural;
		const hasLines = measured.some(
			(row, at) => at > 0 && row.some((cell, column) => isTall(cell, widths[column])),
		);
		return { widths, hasLines };
	}

	#head({ widths }: Columns): string[] {
		return widths.length === 0 ? [] : [...this.#row(this.#header, widths), this.#line(widths)];
	}

	#line(widths: readonly number[]): string {
		if (widths.length === 0) return this.#look.theme.hr("─".repeat(Math.min(3, this.#width)));
		return this.#look.theme.hr(widths.map((cells) => "─".repeat(cells)).join(crossing));
	}

	#rows(body: readonly Cell[][], { widths, hasLines }: Columns, isMore: boolean): string[] {
		return body.flatMap((cells, at) => {
			const line = hasLines && (isMore || at > 0) ? [this.#line(widths)] : [];
			return [...line, ...(widths.length === 0 ? this.#record(cells) : this.#row(cells, widths))];
		});
	}

	#row(cells: readonly Cell[], columns: readonly number[]): string[] {
		const wrapped = columns.map((width, at) => this.#wrapped(cells[at], width));
		const height = Math.max(...wrapped.map((lines) => lines.length));
		const bar = this.#look.theme.hr(gap);
		return Array.from({ length: height }, (_, line) =>
			columns
				.map((width, at) => {
					const isEnd = at === columns.length - 1;
					return placed(wrapped[at]?.[line] ?? "", width, this.#table.align[at], isEnd);
				})
				.join(bar),
		);
	}

	#wrapped(cell: Cell | undefined, width: number): string[] {
		if (cell === undefined) return [""];
		if (cell.cells <= width && !cell.painted.includes("\n")) return [cell.painted];
		return wrapTextWithAnsi(cell.painted, width);
	}

	/** A row as lines of `column: value`. */
	#record(cells: readonly Cell[]): string[] {
		return this.#header.flatMap(({ painted }, at) => {
			const value = cells[at]?.painted ?? "";
			return value === "" ? [] : wrapTextWithAnsi(`${painted}: ${value}`, Math.max(1, this.#width));
		});
	}
}

function isTall({ cells, painted }: Cell, width = 0): boolean {
	return cells > width || painted.includes("\n");
}

/** The cell that is streaming: those after it are empty. */
function lastFilled(cells: readonly string[]): number {
	return cells.findLastIndex((text) => text !== "");
}

function widest(painted: string): number {
	if (!painted.includes("\n")) return visibleWidth(painted);
	return Math.max(...painted.split("\n").map((line) => visibleWidth(line)));
}

/** Shrinks the widest columns first, so that narrow ones keep their width. */
function shrunk(natural: readonly number[], room: number): readonly number[] {
	if (room < natural.reduce((sum, cells) => sum + Math.min(cells, markdownLimits.columnCells), 0)) return [];
	let cap = Math.max(...natural);
	const taken = (most: number): number => natural.reduce((sum, cells) => sum + Math.min(cells, most), 0);
	while (taken(cap) > room) cap--;
	const columns = natural.map((cells) => Math.min(cells, cap));
	let left = room - taken(cap);
	return columns.map((cells, at) => {
		if (left <= 0 || (natural[at] ?? 0) <= cells) return cells;
		left--;
		return cells + 1;
	});
}

/** Reserves width for later rows of a table that is too long to wait for them. */
function widened(natural: readonly number[], spare: number): readonly number[] {
	const more = Math.min(markdownLimits.spareCells, Math.floor(spare / natural.length));
	return natural.map((cells) => cells + more);
}

function placed(text: string, width: number, align: Align, isEnd: boolean): string {
	const shown = visibleWidth(text) > width ? truncateToWidth(text, width, "") : text;
	const space = width - visibleWidth(shown);
	const before = align === "right" ? space : align === "center" ? Math.floor(space / 2) : 0;
	// Nothing follows the last column.
	return " ".repeat(before) + shown + (isEnd ? "" : " ".repeat(space - before));
}

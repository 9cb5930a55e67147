/** Components above each other or side by side. */
import type { Component } from "../component.ts";
import { cells, filled, spaces } from "../elements/rows.ts";

/** Components above each other, with rows between them. */
export class VStack implements Component {
	readonly children: readonly Component[];
	readonly #gap: number;

	constructor(children: readonly Component[], gap = 0) {
		this.children = children;
		this.#gap = cells(gap);
	}

	invalidate(): void {
		for (const child of this.children) child.invalidate();
	}

	render(width: number): string[] {
		const blocks = this.children.map((child) => child.render(width)).filter((rows) => rows.length > 0);
		const gap = Array.from({ length: this.#gap }, () => "");
		return blocks.flatMap((rows, at) => (at === 0 ? rows : [...gap, ...rows]));
	}
}

/** The width of a column: a number of cells, or a share of the remaining cells. */
export interface Column {
	component: Component;
	cells?: number;
	share?: number;
}

/** Components side by side; stacked below `narrow` cells, or if a column would have no space. */
export class HStack implements Component {
	/** The engine searches these for a part that requested a redraw. */
	readonly children: readonly Component[];
	readonly #columns: readonly Column[];
	readonly #gap: number;
	readonly #narrow: number;

	constructor(columns: readonly Column[], { gap = 1, narrow = 0 }: { gap?: number; narrow?: number } = {}) {
		this.children = columns.map(({ component }) => component);
		this.#columns = columns;
		this.#gap = cells(gap);
		this.#narrow = narrow;
	}

	invalidate(): void {
		for (const child of this.children) child.invalidate();
	}

	render(width: number): string[] {
		const widths = this.#widths(width);
		if (width < this.#narrow || widths === undefined) {
			return this.children.flatMap((child) => child.render(width));
		}
		const drawn = this.children.map((child, at) => child.render(widths[at] ?? 1));
		const height = drawn.reduce((most, rows) => Math.max(most, rows.length), 0);
		const gap = spaces(this.#gap);
		return Array.from({ length: height }, (_, row) =>
			drawn
				.map((rows, at) => filled(rows[row] ?? "", widths[at] ?? 1))
				.join(gap)
				.trimEnd(),
		);
	}

	/** Undefined if they do not fit beside each other. Shares are rounded so that they add up to the whole width. */
	#widths(width: number): number[] | undefined {
		const gaps = this.#gap * (this.#columns.length - 1);
		const fixed = this.#columns.reduce((sum, column) => sum + cells(column.cells ?? 0), 0);
		const left = width - gaps - fixed;
		const shares = this.#columns.reduce((sum, column) => sum + shareOf(column), 0);
		let assigned = 0;
		let reached = 0;
		const widths = this.#columns.map((column) => {
			if (column.cells !== undefined) return cells(column.cells);
			reached += shareOf(column);
			const own = Math.round((left * reached) / shares) - assigned;
			assigned += own;
			return own;
		});
		return left >= 0 && widths.every((own) => own >= 1) ? widths : undefined;
	}
}

function shareOf(column: Column): number {
	return column.cells === undefined ? Math.max(0, column.share ?? 1) : 0;
}

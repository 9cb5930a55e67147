/** Components above each other or side by side. */
import { truncateToWidth, visibleWidth } from "@tau/sys";

import type { Component } from "../component.ts";

/** Above each other, with rows between them. */
export class VStack implements Component {
	readonly children: readonly Component[];
	readonly #gap: number;

	constructor(children: readonly Component[], gap = 0) {
		this.children = children;
		this.#gap = gap;
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

/** How wide a column is: a number of cells, or a share of what the others leave. */
export interface Column {
	component: Component;
	cells?: number;
	share?: number;
}

/** Side by side; below `narrow` cells above each other. */
export class HStack implements Component {
	readonly #columns: readonly Column[];
	readonly #gap: number;
	readonly #narrow: number;

	constructor(columns: readonly Column[], { gap = 1, narrow = 0 }: { gap?: number; narrow?: number } = {}) {
		this.#columns = columns;
		this.#gap = gap;
		this.#narrow = narrow;
	}

	invalidate(): void {
		for (const { component } of this.#columns) component.invalidate();
	}

	render(width: number): string[] {
		const widths = this.#widths(width);
		if (width < this.#narrow || widths.some((cells) => cells < 1)) {
			return this.#columns.flatMap(({ component }) => component.render(width));
		}
		const drawn = this.#columns.map(({ component }, at) => component.render(widths[at] ?? 1));
		const height = Math.max(0, ...drawn.map((rows) => rows.length));
		const gap = " ".repeat(this.#gap);
		return Array.from({ length: height }, (_, row) =>
			drawn
				.map((rows, at) => fitted(rows[row] ?? "", widths[at] ?? 1))
				.join(gap)
				.trimEnd(),
		);
	}

	#widths(width: number): number[] {
		const gaps = this.#gap * (this.#columns.length - 1);
		const fixed = this.#columns.reduce((sum, { cells = 0 }) => sum + cells, 0);
		const shares = this.#columns.reduce(
			(sum, { cells, share = 1 }) => sum + (cells === undefined ? share : 0),
			0,
		);
		let left = width - gaps - fixed;
		const each = shares === 0 ? 0 : left / shares;
		return this.#columns.map(({ cells, share = 1 }) => {
			if (cells !== undefined) return cells;
			const own = Math.min(left, Math.round(each * share));
			left -= own;
			return own;
		});
	}
}

function fitted(row: string, width: number): string {
	const cut = truncateToWidth(row, width);
	return cut + " ".repeat(Math.max(0, width - visibleWidth(cut)));
}

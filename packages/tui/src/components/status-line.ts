/** One row of permanent information; without enough space, the least important segments are left out. */
import type { Component } from "../component.ts";
import { truncateToWidth, visibleWidth } from "../text.ts";
import type { Theme } from "../theme/index.ts";
import { spaces } from "../elements/rows.ts";

export interface StatusSegment {
	/** May contain colors. */
	text: string;
	/** Segments with a lower priority are left out first, of equal ones the last; default 0. */
	priority?: number;
}

export interface StatusSegments {
	left: readonly StatusSegment[];
	right?: readonly StatusSegment[];
}

interface Placed {
	text: string;
	priority: number;
	side: "left" | "right";
}

/** The minimum gap between the left and the right side. */
const gap = 2;

export class StatusLine implements Component {
	readonly #theme: Theme;
	readonly #segments: () => StatusSegments;

	/** The segments are computed in every frame. */
	constructor(theme: Theme, segments: () => StatusSegments) {
		this.#theme = theme;
		this.#segments = segments;
	}

	invalidate(): void {
		// No rows are cached.
	}

	render(width: number): string[] {
		const { left, right = [] } = this.#segments();
		const placed = [...left.map(placeAt("left")), ...right.map(placeAt("right"))].filter(
			({ text }) => text.trim() !== "",
		);
		if (placed.length === 0) return [];
		while (placed.length > 1 && this.#needed(placed) > width) placed.splice(leastOf(placed), 1);
		const start = this.#side(placed, "left");
		const end = this.#side(placed, "right");
		const middle = end === "" ? "" : spaces(width - visibleWidth(start) - visibleWidth(end));
		return [truncateToWidth(start + middle + end, width)];
	}

	#needed(placed: readonly Placed[]): number {
		const sides = [this.#side(placed, "left"), this.#side(placed, "right")].filter((side) => side !== "");
		return sides.reduce((sum, side) => sum + visibleWidth(side), gap * (sides.length - 1));
	}

	#side(placed: readonly Placed[], side: Placed["side"]): string {
		return placed
			.filter((segment) => segment.side === side)
			.map(({ text }) => text)
			.join(this.#theme.fg("dim", " · "));
	}
}

function placeAt(side: Placed["side"]): (segment: StatusSegment) => Placed {
	return ({ text, priority = 0 }) => ({ text: text.replaceAll(/[\r\n\t]+/g, " "), priority, side });
}

function leastOf(placed: readonly Placed[]): number {
	const least = placed.reduce((low, { priority }) => Math.min(low, priority), Number.POSITIVE_INFINITY);
	return placed.findLastIndex(({ priority }) => priority === least);
}

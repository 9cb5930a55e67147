/** Stacks the root's children, and renders of tall ones only the rows that are needed. */
import { log } from "@tau/utils";

import { hasSeam, isScrolled, type Component, type Scrolled, type Seam } from "../component.ts";
import type { RowSource } from "./audit.ts";
import type { Heights } from "./ledger.ts";
import type { Layer } from "./overlay.ts";

/** Box drawing and block elements; each is one cell wide, as a blank is. */
const shapes = /[\u2500-\u259F]/g;

/** For screen readers, which would spell lines and blocks out. */
function withoutShapes(row: string): string {
	return row.replaceAll(shapes, " ");
}

interface Segment {
	component: Component;
	start: number;
	count: number;
	/** All rows, or the component that provides them. */
	source: string[] | Scrolled;
	/** The number of its leading rows that are final; `undefined` if it does not declare it. */
	final: number | undefined;
}

export class Frame implements RowSource {
	readonly segments: readonly Segment[];
	readonly width: number;
	readonly length: number;
	readonly boundary: number;
	readonly contentEnd: number;

	/** Without lines and blocks, which a screen reader would spell out. */
	readonly #isLinear: boolean;

	constructor(segments: readonly Segment[], width: number, isLinear = false) {
		this.#isLinear = isLinear;
		this.segments = segments;
		this.width = width;
		const last = segments.at(-1);
		this.length = last === undefined ? 0 : last.start + last.count;
		const content = segments.findLast(({ source }) => !Array.isArray(source));
		this.contentEnd = content === undefined ? this.length : content.start + content.count;
		const live = segments.find(({ final, count }) => final !== undefined && final < count);
		const final = live === undefined ? this.length : live.start + (live.final ?? 0);
		this.boundary = Math.min(this.contentEnd, final);
	}

	heights(height: number): Heights {
		return { length: this.length, boundary: this.boundary, contentEnd: this.contentEnd, height };
	}

	rows(from: number, to: number): string[] {
		const rows: string[] = [];
		for (const { start, count, source } of this.segments) {
			if (start >= to) break;
			const [first, last] = [Math.max(0, from - start), Math.min(count, to - start)];
			if (first >= last) continue;
			const part = Array.isArray(source)
				? source.slice(first, last)
				: askRows(source, this.width, first, last);
			for (const row of part) rows.push(this.#isLinear ? withoutShapes(row) : row);
		}
		return rows;
	}

	/** Reports that rows before `row` are history, so that tall components may release them. */
	emitCommitted(row: number): void {
		for (const { start, count, source } of this.segments) {
			if (!Array.isArray(source)) source.committed?.(Math.max(0, Math.min(count, row - start)));
		}
	}

	/** The number of leading rows that have not changed since they were committed, as far as components know. */
	intact(): number {
		let rows = Number.POSITIVE_INFINITY;
		for (const { start, source } of this.segments) {
			if (!Array.isArray(source))
				rows = Math.min(rows, start + (source.intact?.() ?? Number.POSITIVE_INFINITY));
		}
		return rows;
	}
}

/** Renders the children; if only some of them requested it, the rest is taken from the last frame. */
export class Composer {
	#last: Segment[] = [];
	#width = 0;
	/** Frames are for a screen reader. */
	isLinear = false;

	/** A screen reader reads row by row: beside an overlay there is nothing else. */
	layers(layers: Layer[], width: number): Layer[] {
		if (!this.isLinear) return layers;
		return layers.map(({ row, rows }) => ({ row, column: 0, width, rows: rows.map(withoutShapes) }));
	}

	/**
	 * With `only`, children that contain none of these components are not rendered again. With `isForKey`, tall ones
	 * stay as they are if they can: what has streamed meanwhile is left to the next frame.
	 */
	compose(
		children: readonly Component[],
		width: number,
		only?: ReadonlySet<Component>,
		isForKey = false,
	): Frame {
		const isSameWidth = width === this.#width;
		const scoped = isSameWidth ? only : undefined;
		let start = 0;
		const segments = children.map((component, index): Segment => {
			const known = this.#last[index];
			const isSpared =
				scoped === undefined
					? isForKey && isSameWidth && isScrolled(component) && component.isPlaced?.() === true
					: !holdsAny(component, scoped);
			const segment =
				isSpared && known?.component === component ? { ...known, start } : measure(component, width, start);
			start += segment.count;
			return segment;
		});
		this.#last = segments;
		this.#width = width;
		return new Frame(segments, width, this.isLinear);
	}
}

function measure(component: Component, width: number, start: number): Segment {
	try {
		if (isScrolled(component)) {
			const count = component.rowCount(width);
			return { component, start, count, source: component, final: finalRows(component, width, count) };
		}
		const source = component.render(width);
		const final = hasSeam(component) ? finalRows(component, width, source.length) : undefined;
		return { component, start, count: source.length, source, final };
	} catch (error) {
		return { component, start, count: 1, source: [failure(error)], final: undefined };
	}
}

function finalRows(seam: Seam, width: number, count: number): number {
	const live = seam.liveFrom(width);
	return Math.min(count, Math.max(live, seam.settledUpTo?.(width) ?? live));
}

function askRows(source: Scrolled, width: number, from: number, to: number): string[] {
	try {
		return source.rows(width, from, to);
	} catch (error) {
		return Array.from({ length: to - from }, (_, at) => (at === 0 ? failure(error) : ""));
	}
}

/** One broken view must not break the whole screen. */
function failure(error: unknown): string {
	const message = error instanceof Error ? error.message : String(error);
	log.error("a component failed to draw", { error: message });
	return `\x1b[31m[could not be drawn: ${message}]\x1b[0m`;
}

function holdsAny(component: Component, wanted: ReadonlySet<Component>): boolean {
	for (const one of wanted) {
		if (holds(component, one)) return true;
	}
	return false;
}

/** Whether `wanted` is this component or inside it. */
export function holds(component: Component, wanted: Component): boolean {
	if (component === wanted) return true;
	if (isScrolled(component) && component.holds !== undefined) return component.holds(wanted);
	const children: unknown = "children" in component ? component.children : undefined;
	return Array.isArray(children) && children.some((child: Component) => holds(child, wanted));
}

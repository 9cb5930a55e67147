/** Which rows of a long list are in the page: the visible ones and a few around them. The end is followed while it is in view. */
import {
	elementScroll,
	observeElementOffset,
	observeElementRect,
	Virtualizer,
	type VirtualItem,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";

import { limits } from "../limits.ts";

export interface VirtualRows {
	readonly rows: readonly VirtualItem[];
	readonly height: number;
	readonly list: Virtualizer<HTMLElement, HTMLElement>;
	/** The `ref` of each row. */
	measure(row: HTMLElement | null): void;
}

interface Options {
	readonly count: number;
	readonly keyAt: (index: number) => string;
	/** In pixels, before a row was measured. */
	readonly estimate: (index: number) => number;
	readonly scroller: RefObject<HTMLElement | null>;
}

/** Above the first row and below the last, in pixels. */
const padding = 24;

const fewScreens = 6;

export function useVirtualRows({ count, keyAt, estimate, scroller }: Options): VirtualRows {
	const [, redraw] = useReducer<number, void>((n) => n + 1, 0);
	// What is beyond the visible rows is not what the user waits for.
	const [overscan, setOverscan] = useState<number>(limits.firstOverscan);
	useEffect(() => {
		const timer = setTimeout(() => setOverscan(limits.overscan), limits.overscanMs);
		return () => clearTimeout(timer);
	}, []);
	const [list] = useState(() => new Virtualizer<HTMLElement, HTMLElement>({ ...options(), ...atEnd() }));
	/** Before anything was measured: otherwise the first rows would be drawn as well, only to be scrolled away. */
	function atEnd(): { initialOffset: number; initialRect: { width: number; height: number } } {
		const { innerWidth: width, innerHeight: height } = window;
		let total = 2 * padding;
		for (let index = 0; index < count; index++) total += estimate(index);
		// Rows that are lower than estimated may all have room: those of a few screens are drawn from the first on.
		return {
			initialOffset: total < fewScreens * height ? 0 : total - height,
			initialRect: { width, height },
		};
	}
	function options(): ConstructorParameters<typeof Virtualizer<HTMLElement, HTMLElement>>[0] {
		return {
			count,
			getScrollElement: () => scroller.current,
			estimateSize: estimate,
			getItemKey: keyAt,
			overscan,
			anchorTo: "end",
			followOnAppend: true,
			scrollEndThreshold: limits.endPixels,
			paddingStart: padding,
			paddingEnd: padding,
			scrollToFn: elementScroll,
			observeElementRect,
			observeElementOffset,
			onChange: () => redraw(),
		};
	}
	list.setOptions({ ...options() });
	useLayoutEffect(() => list._didMount(), [list]);
	// Together, and when what is in them is there: each look at a height between two changes lays out the page again.
	const unmeasured = useRef<HTMLElement[]>([]);
	useLayoutEffect(() => unmeasured.current.splice(0).forEach(list.measureElement));
	useLayoutEffect(() => list._willUpdate());
	const measure = useCallback(
		(row: HTMLElement | null): void => (row ? void unmeasured.current.push(row) : list.measureElement(null)),
		[list],
	);
	// The list waits for the event of its first scrolling, which is none where it stands there already.
	useEffect(() => void scroller.current?.dispatchEvent(new Event("scroll")), [list]);
	return { rows: list.getVirtualItems(), height: list.getTotalSize(), list, measure };
}

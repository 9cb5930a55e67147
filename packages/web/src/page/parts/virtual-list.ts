/** Which rows of a long list are in the page: the visible ones and a few around them. The end is followed while it is in view. */
import {
	elementScroll,
	observeElementOffset,
	observeElementRect,
	Virtualizer,
	type VirtualItem,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

import { limits } from "../limits.ts";

export interface VirtualRows {
	readonly rows: readonly VirtualItem[];
	readonly height: number;
	readonly list: Virtualizer<HTMLElement, HTMLElement>;
}

interface Options {
	readonly count: number;
	readonly keyAt: (index: number) => string;
	/** In pixels, before a row was measured. */
	readonly estimate: (index: number) => number;
	readonly scroller: RefObject<HTMLElement | null>;
}

export function useVirtualRows({ count, keyAt, estimate, scroller }: Options): VirtualRows {
	const [, redraw] = useReducer<number, void>((n) => n + 1, 0);
	const [list] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options()));
	function options(): ConstructorParameters<typeof Virtualizer<HTMLElement, HTMLElement>>[0] {
		return {
			count,
			getScrollElement: () => scroller.current,
			estimateSize: estimate,
			getItemKey: keyAt,
			overscan: limits.overscan,
			anchorTo: "end",
			followOnAppend: true,
			scrollEndThreshold: 48,
			paddingStart: 24,
			paddingEnd: 24,
			scrollToFn: elementScroll,
			observeElementRect,
			observeElementOffset,
			onChange: () => redraw(),
		};
	}
	list.setOptions({ ...options() });
	useLayoutEffect(() => list._didMount(), [list]);
	useLayoutEffect(() => list._willUpdate());
	return { rows: list.getVirtualItems(), height: list.getTotalSize(), list };
}

/** Carries the ledger over to a new layout in a terminal whose history cannot be written again. */
import type { Frame } from "./frame.ts";
import { firstUncommitted } from "./rewrap.ts";

/** How many rows of the next frame, laid out at `width`, are in the history; what is there in part is there twice. */
export function rewrapCommitted(frame: Frame, committed: number, width: number, replay: boolean): number {
	let rows = 0;
	let open = false;
	for (const { component, start, count, source } of frame.segments) {
		const inHistory = Math.max(0, Math.min(count, committed - start));
		let now: number;
		if (!Array.isArray(source)) now = source.restart?.(width, replay) ?? inHistory;
		else if (width === frame.width) now = inHistory;
		else {
			const laid = component.render(width);
			now = inHistory === count ? laid.length : firstUncommitted(source.slice(0, inHistory), laid);
		}
		if (!open) rows += now;
		open ||= inHistory < count;
	}
	return rows;
}

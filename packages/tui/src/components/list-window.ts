/** Which part of a long list is seen, so that the selected item is in it. */

export interface Window {
	from: number;
	to: number;
}

/** The selected item stands in the middle, where the list allows it. */
export function windowOf(count: number, selected: number, most: number): Window {
	const size = Math.max(1, most);
	const from = Math.max(0, Math.min(selected - Math.floor(size / 2), count - size));
	return { from, to: Math.min(count, from + size) };
}

/** One step, round the end. */
export function stepped(selected: number, by: number, count: number): number {
	return count === 0 ? 0 : (selected + by + count) % count;
}

/** Many steps, to the end and no further. */
export function jumped(selected: number, by: number, count: number): number {
	return Math.max(0, Math.min(count - 1, selected + by));
}

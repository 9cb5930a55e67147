/** The visible part of a long list, and its key navigation. */
import { getKeybindings, matchesKey } from "../input/index.ts";

export interface Window {
	from: number;
	to: number;
}

/** The selected item is in the middle if possible. */
export function windowOf(count: number, selected: number, most: number): Window {
	const size = Math.max(1, most);
	const from = Math.max(0, Math.min(selected - Math.floor(size / 2), count - size));
	return { from, to: Math.min(count, from + size) };
}

/** One step, wrapping around. */
export function stepped(selected: number, by: number, count: number): number {
	return count === 0 ? 0 : (selected + by + count) % count;
}

/** Many steps, up to the end. */
export function jumped(selected: number, by: number, count: number): number {
	return Math.max(0, Math.min(count - 1, Math.trunc(selected + by) || 0));
}

/** The new selection after the key; undefined when the key does not move. */
export function moved(data: string, selected: number, count: number, page: number): number | undefined {
	const keys = getKeybindings();
	if (keys.matches(data, "tui.select.up")) return stepped(selected, -1, count);
	if (keys.matches(data, "tui.select.down")) return stepped(selected, 1, count);
	if (keys.matches(data, "tui.select.pageUp")) return jumped(selected, -page, count);
	if (keys.matches(data, "tui.select.pageDown")) return jumped(selected, page, count);
	if (matchesKey(data, "home")) return 0;
	return matchesKey(data, "end") ? jumped(count, 0, count) : undefined;
}

/** The position in a list that is longer than its window. */
export function placeInList(selected: number, count: number): string {
	return `   (${selected + 1}/${count})`;
}

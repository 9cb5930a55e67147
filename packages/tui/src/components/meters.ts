/** Small charts of numbers: a share of a whole, and a development over time. */
import { cells } from "../elements/rows.ts";
import type { Paint } from "../elements/text.ts";

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;
const heights = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/** A bar of `width` cells that is filled by `share`, from 0 to 1, in steps of an eighth of a cell. */
export function progressBar(share: number, width: number, filled: Paint = same, empty: Paint = same): string {
	const room = cells(width);
	const steps = Math.round(known(share) * room * 8);
	const whole = Math.floor(steps / 8);
	const part = eighths[steps % 8] ?? "";
	const rest = room - whole - part.length;
	const bar = "█".repeat(whole) + part;
	return (bar === "" ? "" : filled(bar)) + (rest === 0 ? "" : empty("─".repeat(rest)));
}

/** The share as a number from 0 to 1, also after a division by zero. */
export function known(share: number): number {
	return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0;
}

/** The last values as columns; the highest is as high as a row. */
export function sparkline(values: readonly number[], width: number): string {
	const room = cells(width);
	if (room === 0) return "";
	const visible = values.slice(-room).map((value) => (Number.isFinite(value) ? Math.max(0, value) : 0));
	const most = visible.reduce((highest, value) => Math.max(highest, value), 0);
	return visible
		.map((value) => heights[most === 0 ? 0 : Math.min(7, Math.floor((value / most) * 8))] ?? "▁")
		.join("");
}

function same(text: string): string {
	return text;
}

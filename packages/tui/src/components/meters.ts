/** Small pictures of numbers: how much of something there is, and how it went. */
import { truncateToWidth } from "../text.ts";
import type { Paint } from "./text.ts";

const eighths = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"] as const;
const heights = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/** A bar of `width` cells that is filled by `share`, from 0 to 1, in steps of an eighth of a cell. */
export function progressBar(share: number, width: number, filled: Paint = same, empty: Paint = same): string {
	const known = Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0;
	const cells = Math.max(0, Math.floor(width));
	const steps = Math.round(known * cells * 8);
	const whole = Math.floor(steps / 8);
	const part = whole < cells ? (eighths[steps % 8] ?? " ").trim() : "";
	return filled("█".repeat(whole) + part) + empty("░".repeat(cells - whole - (part === "" ? 0 : 1)));
}

/** The last values as columns, the highest of them as high as a row. */
export function sparkline(values: readonly number[], width: number): string {
	const shown = values
		.slice(-Math.max(0, width))
		.map((value) => (Number.isFinite(value) ? Math.max(0, value) : 0));
	const most = Math.max(0, ...shown);
	const columns = shown.map(
		(value) => heights[most === 0 ? 0 : Math.min(7, Math.floor((value / most) * 7.999))],
	);
	return truncateToWidth(columns.join(""), width);
}

function same(text: string): string {
	return text;
}

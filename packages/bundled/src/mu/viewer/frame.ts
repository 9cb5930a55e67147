/** The edges of the viewer: a title above, keys below, and rows that fill what is between. */
import { truncateToWidth, visibleWidth, type Theme } from "@tau/tui";

/** Rows that the edges take. */
export const edgeRows = 2;

export function framed(
	{ title, note, hints, rows }: { title: string; note: string; hints: readonly string[]; rows: string[] },
	theme: Theme,
	width: number,
	height: number,
): string[] {
	const room = Math.max(0, height - edgeRows);
	const shown = rows.slice(0, room).map((row) => truncateToWidth(row, width));
	const blank = Array.from({ length: room - shown.length }, () => "");
	return [head(title, note, theme, width), ...shown, ...blank, foot(hints, theme, width)];
}

function head(title: string, note: string, theme: Theme, width: number): string {
	const left = truncateToWidth(` ${title}`, Math.max(1, width - visibleWidth(note) - 2));
	const gap = " ".repeat(Math.max(1, width - visibleWidth(left) - visibleWidth(note) - 1));
	return truncateToWidth(theme.fg("accent", theme.bold(left)) + gap + theme.fg("dim", note), width);
}

/** As many of the keys as fit, the most important first. */
function foot(hints: readonly string[], theme: Theme, width: number): string {
	const fitting: string[] = [];
	for (const hint of hints) if (visibleWidth([...fitting, hint].join(" · ")) < width - 1) fitting.push(hint);
	return theme.fg("dim", ` ${fitting.join(" · ")}`);
}

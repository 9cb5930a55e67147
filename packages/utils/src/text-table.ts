/** Lays text out in columns, and cuts it to the width of a terminal. */
import { stripControls } from "./control-strip.ts";

export function columns(rows: readonly string[][]): string[] {
	// Names may come from servers, and are printed to a terminal.
	const clean = rows.map((row) => row.map((cell) => stripControls(cell, { newline: false, tab: false })));
	const widths = (clean[0] ?? []).map((_, column) =>
		clean.reduce((widest, row) => Math.max(widest, Bun.stringWidth(row[column] ?? "")), 0),
	);
	return clean.map((row) =>
		row
			.map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - Bun.stringWidth(cell)))
			.join("  ")
			.trimEnd(),
	);
}

/** Cuts a line to a width, such as that of a terminal. */
export function cut(line: string, width: number): string {
	if (Bun.stringWidth(line) <= width) return line;
	let kept = "";
	for (const character of line) {
		if (Bun.stringWidth(kept + character) > width - 1) break;
		kept += character;
	}
	return `${kept}…`;
}

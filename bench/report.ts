/** Prints measurements as ratios beside their budgets. */

export interface Row {
	name: string;
	value: number;
	unit: string;
	budget: number;
	/** To what it is compared with, measured in the same run. */
	ratio: number;
}

export function report(title: string, rows: readonly Row[]): string {
	const cells = rows.map((row) => [
		row.name,
		`${row.value.toFixed(1)} ${row.unit}`,
		`${row.ratio.toFixed(1)}x bare bun`,
		`budget ${row.budget}`,
		isOver(row) ? "OVER" : "ok",
	]);
	const widths =
		cells[0]?.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0))) ?? [];
	const lines = cells.map((line) =>
		line
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join("  ")
			.trimEnd(),
	);
	return [title, ...lines.map((line) => `  ${line}`), ""].join("\n");
}

export function isOver(row: Row): boolean {
	return row.value > row.budget;
}

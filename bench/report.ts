/** Prints measurements beside their budgets, and beside what else was measured in the same run. */

export interface Row {
	name: string;
	value: number;
	unit: string;
	budget: number;
	/** The budget is the least that is good enough, not the most. */
	atLeast?: true;
	/** The same thing done by somebody else in the same run: `2.1x bare bun`. */
	beside?: string;
	/** The same row of the last release, measured in turns with this one. */
	release?: { name: string; value: number };
}

/** What a row may be worse than the last release. */
const tolerance = 1.15;

export function report(title: string, rows: readonly Row[]): string {
	const cells = rows.map((row) => [
		row.name,
		`${row.value.toFixed(1)} ${row.unit}`,
		row.release ? `${row.release.value.toFixed(1)} in ${row.release.name}` : (row.beside ?? ""),
		`budget ${row.atLeast ? ">=" : "<="} ${row.budget}`,
		isOver(row) ? "OVER" : isWorse(row) ? "WORSE" : "ok",
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

/** What could not be measured is over its budget too. */
export function isOver({ value, budget, atLeast }: Row): boolean {
	return atLeast ? !(value >= budget) : !(value <= budget);
}

/** Whether the last release did clearly better. */
export function isWorse({ value, release, atLeast }: Row): boolean {
	if (!release) return false;
	return atLeast ? value * tolerance < release.value : value > release.value * tolerance;
}

export function times(value: number, other: number, name: string): string {
	return `${(value / other).toFixed(1)}x ${name}`;
}

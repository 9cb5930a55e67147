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
	/** What the budget allows on this machine (`this-machine.ts`), and as a ratio to the release if that is judged. */
	allowed?: number;
	allowedRatio?: number;
	/** The same row of the last release, measured in the same run; `roundedBy`: by how much it may have been rounded. */
	release?: { name: string; value: number; roundedBy?: number };
}

/** What a row may be worse than the last release. */
const tolerance = 1.15;

export function report(title: string, rows: readonly Row[]): string {
	const cells = rows.map((row) => [
		row.name,
		`${row.value.toFixed(1)} ${row.unit}`,
		row.release ? `${row.release.value.toFixed(1)} in ${row.release.name}` : (row.beside ?? ""),
		`budget ${row.atLeast ? ">=" : "<="} ${row.budget}${here(row)}`,
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
export function isOver({ value, budget, allowed = budget, atLeast }: Row): boolean {
	return atLeast ? !(value >= allowed) : !(value <= allowed);
}

/** `, here 5.1 (0.68x of 0.70x)`: beside the release, as it is and as it may be. */
function here({ value, budget, allowed, allowedRatio, release }: Row): string {
	if (allowed === undefined || allowed === budget) return "";
	const limit = `, here ${allowed.toFixed(1)}`;
	if (allowedRatio === undefined || !release) return limit;
	return `${limit} (${(value / release.value).toFixed(2)}x of ${allowedRatio.toFixed(2)}x)`;
}

/** Whether the last release did clearly better. What is not above zero costs nothing: that is a difference of noise. */
export function isWorse({ value, release, atLeast }: Row): boolean {
	if (!release || (!atLeast && value <= 0)) return false;
	const { value: before, roundedBy = 0 } = release;
	return atLeast ? value * tolerance < before - roundedBy : value > (before + roundedBy) * tolerance;
}

/** The values of a group in a printed report, by name and unit, and by how much they were rounded. */
export function readReport(text: string, title: string): { values: Map<string, number>; roundedBy: number } {
	const lines = text.split("\n");
	const values = new Map<string, number>();
	// Of two rows with one name, as 0.1 has them, nobody knows which one is meant.
	const ambiguous = new Set<string>();
	for (const line of lines.slice(lines.indexOf(title) + 1)) {
		if (!line.startsWith("  ")) break;
		const [name = "", cell = ""] = line.trim().split(/ {2,}/);
		const [, value, unit = ""] = /^(-?[\d.]+) (.+)$/.exec(cell) ?? [];
		if (value === undefined) continue;
		const key = rowKey(name, unit);
		if (values.has(key)) ambiguous.add(key);
		values.set(key, Number(value));
	}
	for (const key of ambiguous) values.delete(key);
	return { values: lines.includes(title) ? values : new Map<string, number>(), roundedBy: 0.05 };
}

/** Rows of two versions are the same where they have the same name and unit. */
export function rowKey(name: string, unit: string): string {
	return `${name} in ${unit}`;
}

export function times(value: number, other: number, name: string): string {
	return `${(value / other).toFixed(1)}x ${name}`;
}

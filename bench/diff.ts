/** How long two texts are compared: a large change, and texts that are made to be slow. */
import { editScript } from "@tau/utils/edit-script";

import { median } from "./program.ts";
import type { Row } from "./report.ts";

const rounds = 9;
const mostEdits = 1000;

export async function diffs(): Promise<Row[]> {
	const before = lines(10_000, (at) => `line ${at}`);
	const some = before.map((line, at) => (at % 33 === 0 ? `changed ${at}` : line));
	const many = before.map((line, at) => (at % 5 === 0 ? `changed ${at}` : line));
	return [
		row("10,000 lines, 300 of them changed", 40, before, some),
		row("10,000 lines, 2,000 of them changed", 100, before, many),
		row(
			"20,000 lines in reverse order",
			150,
			lines(20_000, String),
			lines(20_000, (at) => `${19_999 - at}`),
		),
	];
}

function lines(count: number, of: (at: number) => string): string[] {
	return Array.from({ length: count }, (_, at) => of(at));
}

function row(name: string, budget: number, before: readonly string[], after: readonly string[]): Row {
	const samples = Array.from({ length: rounds }, () => {
		const started = performance.now();
		editScript(before, after, mostEdits);
		return performance.now() - started;
	});
	return { name, value: median(samples), unit: "ms", budget };
}

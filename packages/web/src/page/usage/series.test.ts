/** Charts leave out no day and no dollar. */
import { expect, test } from "bun:test";

import { costColumns, stacked, tokenColumns } from "./series.ts";

const day = (date: number, hour = 0): number => new Date(2026, 9, date, hour).getTime();

test("a day without usage is an empty column, also when the clocks change", () => {
	const point = { requests: 1, cost: 1 };
	const { times, parts, isHourly } = tokenColumns([
		{ ...point, timestamp: day(23), tokens: 5 },
		{ ...point, timestamp: day(27), tokens: 7 },
	]);
	expect(isHourly).toBe(false);
	expect(times).toEqual([23, 24, 25, 26, 27].map((date) => day(date)));
	expect(parts[0]?.values).toEqual([5, 0, 0, 0, 7]);
});

test("hours stay hours, and no usage is no column", () => {
	const point = { requests: 1, cost: 1, tokens: 1 };
	const hours = tokenColumns([
		{ ...point, timestamp: day(1, 9) },
		{ ...point, timestamp: day(1, 12) },
	]);
	expect(hours.isHourly).toBe(true);
	expect(hours.times).toHaveLength(4);
	expect(tokenColumns([]).times).toEqual([]);
});

test("many models are four and the rest, and the highest edge is the whole cost", () => {
	const points = [1, 2, 3, 4, 5, 6, 0].map((cost) => ({
		timestamp: day(1),
		provider: "p",
		model: `model-${cost}`,
		cost,
	}));
	const { parts } = costColumns(points, new Set(["model-1"]));
	expect(parts.map(({ name }) => name)).toEqual(["model-6", "model-5", "model-4", "model-3", "2 others"]);
	expect(parts.map(({ isEstimate }) => isEstimate)).toEqual([false, false, false, false, true]);
	expect(stacked(parts).at(-1)).toEqual([21]);
});

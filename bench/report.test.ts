/** A report tells what is over its budget here or worse than in the last release, and a later version can read it. */
import { expect, test } from "bun:test";

import { isOver, isWorse, readReport, report, rowKey, type Row } from "./report.ts";
import { onThisMachine } from "./this-machine.ts";

const row = (value: number, more: Partial<Row> = {}): Row => ({
	name: "a turn",
	value,
	unit: "ms",
	budget: 100,
	...more,
});

test("a row that is more than 15 % worse than in the last release is reported as such", () => {
	const before = (value: number): Partial<Row> => ({ release: { name: "0.1.0", value } });
	expect([row(11.4, before(10)), row(11.6, before(10)), row(50)].map(isWorse)).toEqual([false, true, false]);
	const fast = { atLeast: true, ...before(100) } as const;
	expect([row(90, fast), row(80, fast)].map(isWorse)).toEqual([false, true]);
	// 0.1 may have been 0.149.
	expect(isWorse(row(-0.6, before(-0.8)))).toBe(false);
	expect(isWorse(row(0.17, { release: { name: "0.1.0", value: 0.1, roundedBy: 0.05 } }))).toBe(false);
});

test("the rows of a printed group are read back by name and unit, and of another group none", () => {
	const text =
		report("First", [row(1.25), row(7, { name: "a row, of 20", unit: "x rg", beside: "3 ms" })]) +
		report("First and second", [row(9, { name: "other" }), row(Number.NaN, { name: "not measured" })]);
	const { values } = readReport(text, "First");
	expect([...values]).toEqual([
		[rowKey("a turn", "ms"), 1.3],
		[rowKey("a row, of 20", "x rg"), 7],
	]);
	expect([...readReport(text, "First and second").values]).toEqual([[rowKey("other", "ms"), 9]]);
	expect(readReport(text, "Third").values.size).toBe(0);
});

test("of two rows with one name none is compared", () => {
	const text = report("First", [row(1, { name: "the same" }), row(2), row(3, { name: "the same" })]);
	expect([...readReport(text, "First").values]).toEqual([[rowKey("a turn", "ms"), 2]]);
});

test("on a slow machine a row may be as slow as the release allows it, and memory may not grow", () => {
	const release = { name: "0.1.0", value: 8.6 };
	const bash = { name: "own time of a turn with bash, of 20", budget: 3, release };
	const [allowed, over, scaled, rate, memory] = onThisMachine(
		[
			row(5.9, bash),
			row(6.1, bash),
			row(140),
			row(60, { unit: "MB/s", atLeast: true }),
			row(140, { unit: "MB" }),
		],
		1.5,
	);
	// The release took 4.3 ms on the machine of the budgets, and takes twice as long here.
	expect(allowed?.allowed).toBeCloseTo(6);
	expect([allowed, over, scaled, rate, memory].map((judged) => judged && isOver(judged))).toEqual([
		false,
		true,
		false,
		true,
		true,
	]);
	expect(scaled?.allowed).toBe(150);
	expect(rate?.allowed).toBeCloseTo(66.7, 1);
	const printed = report("Times", allowed && scaled ? [allowed, { ...scaled, release }] : []);
	expect(printed).toContain("budget <= 3, here 6.0 (0.69x of 0.70x)");
	expect(printed).toMatch(/budget <= 100, here 150\.0 +WORSE/);
});

test("a row that keeps to its budget on a slower machine is not over it, however fast the release is there", () => {
	const release = { name: "0.1.0", value: 3 };
	const turn = (value: number): Row =>
		row(value, { name: "own time of a turn with bash, of 20", budget: 3, release });
	// By the ratio alone 2.1 would be allowed.
	expect(onThisMachine([turn(2.9), turn(3.1)], 1.2).map(isOver)).toEqual([false, true]);
	expect(onThisMachine([turn(2.9)], 0.9).map(isOver)).toEqual([true]);
});

test("beside another commit than the release, whose figures are not known, a budget is only scaled", () => {
	const release = { name: "main", value: 8.6 };
	const [judged] = onThisMachine([row(1, { name: "tau --version", release })], 2);
	expect(judged?.allowed).toBe(200);
});

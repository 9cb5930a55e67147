/** Two runs of a file make one verdict, in which no test is lost. */
import { expect, test } from "bun:test";

import type { TestCase } from "./report.ts";
import { judge } from "./verdict.ts";

type Outcome = TestCase["outcome"];
const of = (name: string, outcome: Outcome, line: number | undefined = 1): TestCase => ({
	file: "a.test.ts",
	name,
	outcome,
	...(line !== undefined && { line }),
});
const crash = (name = "(worker crashed)"): TestCase => ({ file: "a.test.ts", name, outcome: "failed" });
const thrown = (...thrownAt: number[]): TestCase => ({ ...crash("(error outside of a test)"), thrownAt });
const none = { passed: 0, failed: 0, skipped: 0, flaky: 0 };

test("one run is judged as it is", () => {
	const cases = [of("a", "passed"), of("b", "failed"), of("c", "skipped")];
	expect(judge(cases).counts).toEqual({ passed: 1, failed: 1, skipped: 1, flaky: 0 });
	expect(judge([of("a", "failed"), thrown(7)]).counts).toEqual({ ...none, failed: 1 });
});

const rows: [what: string, first: TestCase[], second: TestCase[], counts: typeof none][] = [
	["fails twice", [of("a", "failed")], [of("a", "failed")], { ...none, failed: 1 }],
	["fails, then passes", [of("a", "failed")], [of("a", "passed")], { ...none, flaky: 1 }],
	["passes, then fails", [of("a", "passed")], [of("a", "failed")], { ...none, flaky: 1 }],
	[
		"fails, and is not there again",
		[of("a", "failed")],
		[of("b", "passed", 2)],
		{ ...none, failed: 1, passed: 1 },
	],
	["passes, and is not there again", [of("a", "passed")], [of("b", "passed", 2)], { ...none, passed: 2 }],
	[
		"crashes, then passes",
		[of("a", "passed"), crash()],
		[of("a", "passed"), of("b", "passed", 2)],
		{ ...none, passed: 2, flaky: 1 },
	],
	["crashes, then fails", [crash()], [of("a", "failed")], { ...none, failed: 1, flaky: 1 }],
	[
		"crashes twice",
		[of("a", "passed"), crash()],
		[of("a", "passed"), crash()],
		{ ...none, passed: 1, failed: 1 },
	],
	[
		"crashes, then has no result",
		[of("a", "passed"), crash()],
		[crash("(no result)")],
		{ ...none, passed: 1, failed: 1 },
	],
	["has two crashes, then one", [crash(), crash("(unnamed)")], [crash()], { ...none, failed: 2 }],
	[
		"fails and throws again when it is over, then passes",
		[of("a", "passed", 10), of("b", "failed", 20), of("c", "passed", 30), thrown(25, 29)],
		[of("a", "passed", 10), of("b", "passed", 20), of("c", "passed", 30)],
		{ ...none, passed: 2, flaky: 1 },
	],
	[
		"fails while another one throws when it is over",
		[of("a", "passed", 10), of("b", "failed", 20), thrown(25, 12)],
		[of("a", "passed", 10), of("b", "passed", 20)],
		{ ...none, passed: 1, flaky: 2 },
	],
	[
		"fails while something throws that names no line",
		[of("a", "failed", 10), thrown(0)],
		[of("a", "passed", 10)],
		{ ...none, flaky: 1 },
	],
	[
		"passes while something throws that names no line",
		[of("a", "passed", 10), thrown(0)],
		[of("a", "passed", 10)],
		{ ...none, passed: 1, flaky: 1 },
	],
	[
		"fails once while something throws twice",
		[of("a", "failed", 10), thrown(0)],
		[of("a", "passed", 10), thrown(0)],
		{ ...none, failed: 1, flaky: 1 },
	],
	[
		"is skipped twice",
		[of("a", "skipped"), of("b", "failed", 2)],
		[of("a", "skipped"), of("b", "passed", 2)],
		{ ...none, skipped: 1, flaky: 1 },
	],
	[
		"has the name of two others, of which one fails",
		[of("a", "failed"), of("a", "passed"), of("a", "failed")],
		[of("a", "passed"), of("a", "passed"), of("a", "failed")],
		{ ...none, passed: 1, failed: 1, flaky: 1 },
	],
];
test.each(rows)("a test that %s", (_what, first, second, counts) => {
	const verdict = judge(first, second);
	expect(verdict.counts).toEqual(counts);
	expect(verdict.failed.length).toBe(counts.failed);
	expect(verdict.flaky.length).toBe(counts.flaky);
});

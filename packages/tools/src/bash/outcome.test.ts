/** What the usual test runners and compilers print is summarized in a few words. */
import { describe, expect, test } from "bun:test";

import { failureLine, outcomeOf } from "./outcome.ts";

describe("the end of a run of tests", () => {
	test.each([
		["pytest", "F..\n=== 1 failed, 12 passed, 2 skipped in 0.12s ===\n", "12 passed, 1 failed, 2 skipped"],
		["pytest -q", "............\n12 passed in 0.05s\n", "12 passed"],
		["pytest that could not collect", "===== 2 errors in 0.30s =====", "2 failed"],
		["jest", "Tests:       1 failed, 12 passed, 13 total\nSnapshots:   0 total\n", "12 passed, 1 failed"],
		["vitest", " Test Files  1 passed (1)\n      Tests  1 failed | 12 passed (13)\n", "12 passed, 1 failed"],
		[
			"cargo, with a line for each program",
			"test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured\ntest result: FAILED. 2 passed; 1 failed; 0 ignored\n",
			"5 passed, 1 failed, 1 skipped",
		],
		[
			"bun",
			"\n 12 pass\n 1 fail\n 30 expect() calls\nRan 13 tests across 2 files. [1.00ms]",
			"12 passed, 1 failed",
		],
		["node, by TAP", "# tests 13\n# pass 12\n# fail 1\n# cancelled 0\n# skipped 0\n", "12 passed, 1 failed"],
		["node, for people", "ℹ tests 3\nℹ pass 3\nℹ fail 0\n", "3 passed"],
		["mocha", "  12 passing (3s)\n  1 failing\n\n  1) it adds\n", "12 passed, 1 failed"],
		["maven", "[ERROR] Tests run: 13, Failures: 1, Errors: 1, Skipped: 2\n", "9 passed, 2 failed, 2 skipped"],
		["rspec", "Finished in 0.1 seconds\n13 examples, 1 failure\n", "12 passed, 1 failed"],
		["unittest", "Ran 13 tests in 0.101s\n\nFAILED (failures=1, errors=1)\n", "11 passed, 2 failed"],
		["unittest that went well", "Ran 2 tests in 0.001s\n\nOK\n", "2 passed"],
		[
			"go by packages",
			"ok  \texample.com/a\t0.01s\nFAIL\texample.com/b\t0.02s\nFAIL\n",
			"1 passed, 1 failed",
		],
		["go -v", "--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL\tx\t0.1s\n", "1 passed, 1 failed"],
		["a project's own runner", "ok a\nFAILED b\n12 passed, 1 failed\n", "12 passed, 1 failed"],
		["a suite with more counts", "14381 passed, 0 failed, 6 skipped, 1 flaky\n", "14381 passed, 6 skipped"],
		["colors", "\x1b[1m\x1b[32m12 passed\x1b[0m in 0.05s\n", "12 passed"],
	])("of %s", (_name, text, expected) => {
		expect(outcomeOf(text, false)).toBe(expected);
	});
});

test.each([
	[
		"tsc",
		"src/a.ts(3,7): error TS2345: Argument of type 'string'.\nFound 1 error.\n",
		"src/a.ts(3,7): error TS2345: Argument of type 'string'.",
	],
	["rustc", "error[E0308]: mismatched types\n  --> src/main.rs:2:5\n", "error[E0308]: mismatched types"],
	[
		"gcc",
		"a.c:1:10: fatal error: nothing.h: No such file\n",
		"a.c:1:10: fatal error: nothing.h: No such file",
	],
])("a build that failed has its last error: %s", (_name, text, expected) => {
	expect(outcomeOf(text, true)).toBe(expected);
	expect(outcomeOf(text, false)).toBeUndefined();
});

test("other output has none, whatever words are in it", () => {
	for (const text of [
		"",
		"3 files changed",
		"12 passed, 1 failed: see the log",
		"2 passed, 1 failed\nThen something else.",
		"I passed 3 exams and failed 1 in May",
		"no errors: 12",
		"a\0b\n".repeat(9),
	])
		expect(outcomeOf(text, false)).toBeUndefined();
});

test.each([
	["FAILED quantities", "ok a\nFAILED quantities: 250 instead of 750\n2 passed, 1 failed", 1],
	["pytest", "..F\n=== FAILURES ===\n____ test_sum ____\n", 2],
	["bun", "(pass) a\n(fail) b [0.1ms]\n", 1],
	["nothing", "ok a\n", undefined],
])("the first failure is found: %s", (_name, text, line) => {
	expect(failureLine(text)).toBe(line);
});

test("only the end of a long output is read", () => {
	const text = `12 passed in 0.05s\n${"x\n".repeat(100_000)}`;
	expect(outcomeOf(text, false)).toBeUndefined();
});

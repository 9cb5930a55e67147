/** Only what belongs to a failure is printed, below the name of its file. */
import { expect, test } from "bun:test";

import { TestOutput } from "./output.ts";

function play(lines: readonly string[]): { output: TestOutput; written: string } {
	let written = "";
	const output = new TestOutput(["a.test.ts", "p/b.test.ts"], (text) => void (written += text));
	for (const line of lines) output.line(line);
	return { output, written };
}

test("what a failed test printed is shown, with the note below it, and the rest is not", () => {
	const { output, written } = play([
		"bun test v1",
		"",
		"a.test.ts:",
		"noise",
		"(pass) one [1ms]",
		"printed by two",
		"error: no",
		"(fail) two [1ms]",
		"  ^ this test timed out after 2000ms.",
		"(pass) three",
		" 2 pass",
	]);
	const shown = "printed by two\nerror: no\n(fail) two [1ms]\n";
	expect(output.failures.get("a.test.ts")).toBe(`${shown}  ^ this test timed out after 2000ms.\n`);
	expect(written).toContain(`\na.test.ts:\n${shown}`);
	expect(written).not.toContain("noise");
	expect(written).not.toContain("pass");
});

test("files that take turns do not mix", () => {
	const { output } = play([
		"a.test.ts:",
		"of a",
		"p/b.test.ts:",
		"of b",
		"(pass) b",
		"a.test.ts:",
		"(fail) a",
	]);
	expect(output.failures).toEqual(new Map([["a.test.ts", "of a\n(fail) a\n"]]));
});

test("the list of failures at the end repeats nothing", () => {
	const { output } = play(["a.test.ts:", "(fail) a", "1 tests failed:", "(fail) a", " 0 pass"]);
	expect(output.failures).toEqual(new Map([["a.test.ts", "(fail) a\n"]]));
});

test("a crashed worker is shown", () => {
	const { written } = play(["p/b.test.ts:", "✗ p/b.test.ts (worker crashed: SIGKILL)"]);
	expect(written).toBe("\np/b.test.ts:\n✗ p/b.test.ts (worker crashed: SIGKILL)\n");
});

test("an error outside of a test belongs to the file in its stack, also below another name", () => {
	const rule = "-".repeat(31);
	const error = ["# Unhandled error between tests", rule, "error: no", "    at /x/p/b.test.ts:2:30", rule];
	expect(play(["a.test.ts:", ...error]).output.unhandled).toEqual(new Map([["p/b.test.ts", [2]]]));
	const unnamed = error.filter((line) => !line.includes(" at "));
	expect(play(["a.test.ts:", ...unnamed]).output.unhandled).toEqual(new Map([["a.test.ts", [0]]]));
});

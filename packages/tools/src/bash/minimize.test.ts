/** Repeated progress is shortened; nothing that a reader could need is lost. */
import { expect, test } from "bun:test";
import fc from "fast-check";

import { minimize } from "./minimize.ts";

const many = (count: number, line: (at: number) => string): string =>
	Array.from({ length: count }, (_, at) => line(at)).join("\n");

test.each([
	["cargo", (at: number) => `   Compiling some-crate-${at} v1.${at}.0`],
	["npm", (at: number) => `npm warn deprecated package-number-${at}@1.0.0: use another one`],
	["pip", (at: number) => `Collecting package-${at} (from requirements)`],
	["apt", (at: number) => `Get:${at} http://deb.debian.org/debian bookworm/main amd64 package${at}`],
	["docker", (at: number) => `${String(at).padStart(12, "0")}: Pull complete and a digest`],
	["go", (at: number) => `--- PASS: TestSomething${at} (0.00s) in some package`],
	["bun", (at: number) => `(pass) a test with a name of some length ${at} [0.12ms]`],
	["pytest", (at: number) => `tests/test_module.py::test_case_${at} PASSED      [ 10%]`],
	["ninja", (at: number) => `[${at}/200] Building CXX object CMakeFiles/a.dir/file${at}.cc.o`],
])("the steps of %s are two lines and a count", (_, line) => {
	const output = `start\n${many(60, line)}\nDone in 3 s.`;
	expect(minimize(output)).toBe(`start\n${line(0)}\n${line(1)}\n[… 58 more lines like these]\nDone in 3 s.`);
});

test("a failure between steps is kept, with its position", () => {
	const step = (at: number): string => `(pass) the test with number ${at} does what it should [1.00ms]`;
	const output = `${many(30, step)}\n(fail) the broken one\n${many(30, step)}`;
	expect(minimize(output)?.split("\n")).toEqual([
		step(0),
		step(1),
		"[… 28 more lines like these]",
		"(fail) the broken one",
		step(0),
		step(1),
		"[… 28 more lines like these]",
	]);
});

test("a step that names an error is kept", () => {
	const step = (at: number): string => `[${at}/60] Building file-with-a-long-name-${at}.o`;
	const lines = many(60, step).split("\n");
	lines[30] = "[30/60] Building error-handling.o FAILED";
	expect(minimize(lines.join("\n"))).toContain("[30/60] Building error-handling.o FAILED");
});

test("little noise and ordinary output stay as they are", () => {
	expect(minimize(many(5, (at) => `go: downloading module/${at}`))).toBeUndefined();
	expect(minimize(many(500, (at) => `${at}: a line of a file that was printed`))).toBeUndefined();
});

test("every line that is left out belongs to a counted run, and the others keep their order", () => {
	const line = fc.oneof(
		fc.constantFrom("error: it broke", "plain text", "", "warning: look", "[… 3 more lines like these]"),
		fc.nat(999).map((at) => `go: downloading example.org/some/module/number/${at}`),
		fc.nat(999).map((at) => `  ✓ works in case ${at} of a long list of cases`),
	);
	fc.assert(
		fc.property(fc.array(line, { maxLength: 200 }), (lines) => {
			const short = minimize(lines.join("\n"))?.split("\n") ?? lines;
			let at = 0;
			for (const shown of short) {
				if (shown === lines[at]) at++;
				else at += Number(/^\[… (\d+) more lines like these\]$/.exec(shown)?.[1]);
			}
			expect(at).toBe(lines.length);
		}),
	);
});

/** What a run of tests or a build came to, from the lines that the usual programs end with. */
import { cutUnits, stripControls } from "@tau/utils";

import { limits } from "./limits.ts";

interface Counts {
	passed?: number | undefined;
	failed?: number | undefined;
	skipped?: number | undefined;
}

/** Reads the end of an output; undefined where it is of another program. */
type Reader = (end: string) => Counts | undefined;

const readers: readonly Reader[] = [
	pytest,
	jest,
	rust,
	bunTest,
	nodeTest,
	mocha,
	surefire,
	rspec,
	unittest,
	goTest,
	countsAlone,
];

/** `12 passed, 1 failed`, or the last error of a command that failed; undefined where neither is said. */
export function outcomeOf(text: string, hasFailed: boolean): string | undefined {
	const end = stripControls(text.slice(-limits.outcomeScannedChars));
	for (const read of readers) {
		const counts = read(end);
		if (counts) return shownCounts(counts);
	}
	return hasFailed ? lastError(end) : undefined;
}

function shownCounts({ passed = 0, failed = 0, skipped = 0 }: Counts): string {
	const parts = [
		passed > 0 || failed === 0 ? `${passed} passed` : "",
		failed > 0 ? `${failed} failed` : "",
		skipped > 0 ? `${skipped} skipped` : "",
	];
	return parts.filter(Boolean).join(", ");
}

/** The line as a compiler writes it: `file:3:7 - error TS2345: …`, `error[E0308]: …`, `make: *** [all] Error 2`. */
function lastError(end: string): string | undefined {
	const lines = end
		.split("\n")
		.filter((line) => /(?:^|[\s\])*:])(?:fatal )?error(?:\[\w+\])?(?::| TS\d)/i.test(line));
	const line = lines.at(-1)?.trim();
	return line === undefined ? undefined : cutUnits(line, limits.outcomeChars);
}

/** How test runners begin what they say of a test that failed. */
const failureStarts =
	/^\s*(?:FAIL(?:ED)?\b|[✗✘✕×●] |not ok \d|\(fail\) |E {2,}\S|--- FAIL: |thread '.*' panicked|\d+\) |Traceback |_{3,} \S+ _{3,})/;

/** The line of the first failure, where there is one. */
export function failureLine(text: string): number | undefined {
	const at = stripControls(text)
		.split("\n")
		.findIndex((line) => failureStarts.test(line));
	return at < 0 ? undefined : at;
}

/** The number before or after a word, in a line that a pattern finds last. */
function numberOf(line: string, pattern: RegExp): number | undefined {
	const found = pattern.exec(line)?.[1];
	return found === undefined ? undefined : Number(found);
}

function lastMatch(end: string, pattern: RegExp): string | undefined {
	return [...end.matchAll(pattern)].at(-1)?.[0];
}

/** Undefined if a line has none of them. */
function counted(line: string | undefined): Counts | undefined {
	if (line === undefined) return undefined;
	const counts = {
		passed: numberOf(line, /(\d+) (?:passed|pass\b)/),
		failed: (numberOf(line, /(\d+) (?:failed|fail\b)/) ?? 0) + (numberOf(line, /(\d+) errors?\b/) ?? 0),
		skipped: numberOf(line, /(\d+) (?:skipped|ignored)/),
	};
	return counts.passed === undefined && counts.failed === 0 ? undefined : counts;
}

/** `===== 1 failed, 12 passed in 0.12s =====`, or the same without the lines (`-q`). */
function pytest(end: string): Counts | undefined {
	return counted(lastMatch(end, /^(?:=+ )?\d+ (?:passed|failed|error).* in [\d.]+s.*$/gm));
}

/** `Tests:       1 failed, 12 passed, 13 total` (jest), `Tests  1 failed | 12 passed (13)` (vitest). */
function jest(end: string): Counts | undefined {
	return counted(lastMatch(end, /^\s*Tests:?\s+\d+ (?:failed|passed|skipped).*$/gm));
}

/** A line for each program of tests: `test result: FAILED. 12 passed; 1 failed; 0 ignored; …`. */
function rust(end: string): Counts | undefined {
	const sums = [...end.matchAll(/^test result: .*$/gm)].map(([line]) => counted(line) ?? {});
	return sums.length === 0 ? undefined : added(sums);
}

function added(all: readonly Counts[]): Counts {
	const sum = (name: keyof Counts): number => all.reduce((total, counts) => total + (counts[name] ?? 0), 0);
	return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

/** ` 12 pass`, ` 1 fail` in lines of their own, then `Ran 13 tests across 2 files`. */
function bunTest(end: string): Counts | undefined {
	if (!/^Ran \d+ tests? across \d+ files?/m.test(end)) return undefined;
	return {
		passed: numberOf(end, /^\s*(\d+) pass$/m),
		failed: numberOf(end, /^\s*(\d+) fail$/m),
		skipped: numberOf(end, /^\s*(\d+) skip$/m),
	};
}

/** `# pass 12` and `# fail 1`, or the same after ℹ. */
function nodeTest(end: string): Counts | undefined {
	const passed = numberOf(end, /^[#ℹ] pass (\d+)$/m);
	if (passed === undefined) return undefined;
	return {
		passed,
		failed: numberOf(end, /^[#ℹ] fail (\d+)$/m),
		skipped: numberOf(end, /^[#ℹ] skipped (\d+)$/m),
	};
}

/** `12 passing (3s)`, `1 failing`, `2 pending`. */
function mocha(end: string): Counts | undefined {
	const passed = numberOf(end, /^\s*(\d+) passing\b/m);
	if (passed === undefined) return undefined;
	return {
		passed,
		failed: numberOf(end, /^\s*(\d+) failing$/m),
		skipped: numberOf(end, /^\s*(\d+) pending$/m),
	};
}

/** `Tests run: 13, Failures: 1, Errors: 0, Skipped: 2` of Maven and its relatives; the last line has the sum. */
function surefire(end: string): Counts | undefined {
	const line = lastMatch(end, /Tests run: \d+, Failures: \d+.*$/gm);
	if (line === undefined) return undefined;
	const [run = 0, failures = 0, errors = 0, skipped = 0] = ["Tests run", "Failures", "Errors", "Skipped"].map(
		(name) => numberOf(line, new RegExp(`${name}: (\\d+)`)),
	);
	return { passed: run - failures - errors - skipped, failed: failures + errors, skipped };
}

/** `13 examples, 1 failure, 2 pending`. */
function rspec(end: string): Counts | undefined {
	const line = lastMatch(end, /^\d+ examples?, \d+ failures?.*$/gm);
	if (line === undefined) return undefined;
	const [all = 0, failed = 0, skipped = 0] = [/(\d+) example/, /(\d+) failure/, /(\d+) pending/].map((each) =>
		numberOf(line, each),
	);
	return { passed: all - failed - skipped, failed, skipped };
}

/** `Ran 13 tests in 0.1s`, then `OK` or `FAILED (failures=1, errors=2, skipped=3)`. */
function unittest(end: string): Counts | undefined {
	const all = numberOf(end, /^Ran (\d+) tests? in [\d.]+s$/m);
	const verdict = lastMatch(end, /^(?:OK|FAILED)(?: \(.*\))?$/gm);
	if (all === undefined || verdict === undefined) return undefined;
	const of = (name: string): number => numberOf(verdict, new RegExp(`${name}=(\\d+)`)) ?? 0;
	const [failed, skipped] = [of("failures") + of("errors"), of("skipped")];
	return { passed: all - failed - skipped, failed, skipped };
}

/** Go counts no tests: those of `-v`, otherwise packages. */
function goTest(end: string): Counts | undefined {
	const of = (pattern: RegExp): number => end.match(pattern)?.length ?? 0;
	const packages = { passed: of(/^ok {2}\t\S+/gm), failed: of(/^FAIL\t\S+/gm) };
	if (packages.passed + packages.failed === 0) return undefined;
	const tests = {
		passed: of(/^\s*--- PASS: /gm),
		failed: of(/^\s*--- FAIL: /gm),
		skipped: of(/^\s*--- SKIP: /gm),
	};
	return tests.passed > 0 || tests.failed > 0 ? tests : packages;
}

/** `12 passed, 1 failed`, the last line of runners that a project has written itself. */
function countsAlone(end: string): Counts | undefined {
	const last = end.trimEnd().split("\n").at(-1)?.trim();
	return counted(last?.match(/^\d+ (?:passed|failed)(?:, \d+ [a-z]+)+\.?$/)?.[0]);
}

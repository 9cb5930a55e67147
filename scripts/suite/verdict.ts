/** Compares the first run of a file with the second one, by itself: what fails twice has failed, what fails once is flaky. */
import { countTests, type Counts, type TestCase } from "./report.ts";

export interface Verdict {
	counts: Counts;
	failed: TestCase[];
	flaky: TestCase[];
}

/** A file that did not run again (no second run) is judged by its first. */
export function judge(first: readonly TestCase[], second?: readonly TestCase[]): Verdict {
	if (!second) {
		const failed = first.filter(hasFailed);
		return { counts: countTests(first), failed, flaky: [] };
	}
	const [before, after] = [byKey(first), byKey(second)];
	const verdict: Verdict = { counts: countTests([]), failed: [], flaky: [] };
	for (const key of new Set([...before.keys(), ...after.keys()]))
		judgeTest(before.get(key) ?? [], after.get(key) ?? [], second.some(isTest), verdict);
	return verdict;
}

/** `first` and `second` have the same name: several rows of one `test.each` may. */
function judgeTest(first: TestCase[], second: TestCase[], hasRun: boolean, into: Verdict): void {
	const [once, twice] = [first.filter(hasFailed), second.filter(hasFailed)];
	// A test that does not appear again has not passed. A hook or a process that failed once and then did not, has.
	const isGone = first.length > 0 && second.length === 0 && (first.some(isTest) || !hasRun);
	const isNew = first.length === 0 && second.some(isTest);
	const [most, least] = once.length >= twice.length ? [once, twice] : [twice, once];
	// Bun does not report the same hook or process in the same words twice: what counts is that the file has failed again.
	const isSame = least.length > 0 && !first.some(isTest);
	const failed = isGone || isNew || isSame ? most : least;
	const flaky = most.slice(failed.length);
	into.failed.push(...failed);
	into.flaky.push(...flaky);
	const all = second.length > 0 ? second : first;
	const skipped = all.filter(({ outcome }) => outcome === "skipped").length;
	into.counts.failed += failed.length;
	into.counts.flaky += flaky.length;
	into.counts.skipped += skipped;
	into.counts.passed += Math.max(0, all.length - failed.length - flaky.length - skipped);
}

function byKey(cases: readonly TestCase[]): Map<string, TestCase[]> {
	// Whatever is no test has one key: a process that first crashed and then hung has failed twice.
	return Map.groupBy(cases, (test) => (isTest(test) ? `${test.line} ${test.name}` : ""));
}

function hasFailed({ outcome }: TestCase): boolean {
	return outcome === "failed";
}

function isTest({ line }: TestCase): boolean {
	return line !== undefined;
}

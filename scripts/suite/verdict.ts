/** Compares the first run of a file with the second one, by itself: what fails twice has failed, what fails once is flaky. */
import { countTests, type Counts, type TestCase } from "./report.ts";

export interface Verdict {
	counts: Counts;
	failed: TestCase[];
	flaky: TestCase[];
}

/** A file that did not run again (no second run) is judged by its first. */
export function judge(first: readonly TestCase[], second?: readonly TestCase[]): Verdict {
	const once = withoutEchoes(first, second);
	if (!second) return { counts: countTests(once), failed: once.filter(hasFailed), flaky: [] };
	const [before, after] = [byKey(once), byKey(withoutEchoes(second, first))];
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

/**
 * A test that has failed or taken too long may run on, and throw again when it is over: one defect, counted once. An error
 * that names no line of the file is taken for one of those; whatever happens in both runs is counted.
 */
function withoutEchoes(cases: readonly TestCase[], other: readonly TestCase[] = []): TestCase[] {
	const tests = cases.filter(isTest).toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
	const isOfFailed = (line: number): boolean => {
		const around = line === 0 ? undefined : tests.findLast((test) => (test.line ?? 0) <= line);
		return tests.some((test) => hasFailed(test) && (line === 0 || test.line === around?.line));
	};
	if (other.some((test) => !isTest(test))) return [...cases];
	return cases.filter(({ thrownAt }) => thrownAt === undefined || !thrownAt.every(isOfFailed));
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

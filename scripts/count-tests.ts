/** Counts the tests of a JUnit report. */

export interface Counts {
	passed: number;
	failed: number;
	skipped: number;
}

export function countTests(report: string): Counts {
	// The root element sums up all suites, whatever they are nested in.
	const totals = /<testsuites\b[^>]*>/.exec(report)?.[0] ?? "";
	const read = (name: string): number => Number(new RegExp(`\\s${name}="(\\d+)"`).exec(totals)?.[1] ?? 0);
	const failed = read("failures") + read("errors");
	const skipped = read("skipped");
	return { passed: Math.max(0, read("tests") - failed - skipped), failed, skipped };
}

/** Runs the test files in their lanes, those with failures once more by themselves, and says what holds. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { Costs } from "./costs.ts";
import { estimateMs, planLanes, type Lane } from "./lanes.ts";
import type { Counts, TestCase } from "./report.ts";
import { runFiles, type FileResult, type FileRun } from "./run-files.ts";
import { judge, type Verdict } from "./verdict.ts";

export interface Suite {
	root: string;
	files: readonly string[];
	/** Further options of `bun test`. */
	options?: readonly string[];
	silenceMs?: number;
	/** Whether the files that cost most are named at the end. */
	costs?: boolean;
	write(text: string): void;
}

/**
 * Files with flaky tests. Each is a defect to mend next; more of them say that something is wrong with the change or the
 * machine. Tests of one file may share a page or a program, which the first failure leaves in a state that fails the others.
 */
const flakyAllowed = 2;
/** More failed files than this are no coincidence, and running them again would only take time. */
const rerunFiles = 25;
/** The longest file takes two minutes on a busy machine. */
const silenceMs = 600_000;

/** The exit code; the last line that is written counts the tests. */
export async function runSuite(asked: Suite): Promise<number> {
	using costs = asked.costs ? new Costs() : undefined;
	const suite = costs ? { ...asked, options: [...(asked.options ?? []), costs.option] } : asked;
	const lanes = planLanes(suite.root, suite.files);
	const durations = new Durations(suite.root);
	const first = await Promise.all(
		lanes.map((lane) => runFiles({ ...fileRun(suite), ...lane, durations: durations.of(lane) })),
	);
	const results = new Map(first.flatMap(({ files }) => [...files]));
	durations.save(results);
	const again = await runAgain(suite, results);
	if (costs) suite.write(costs.report(suite.root));
	const problems = first.flatMap(({ problem }) => problem ?? []);
	return conclude(suite, { results, again, problems });
}

function fileRun({
	root,
	options,
	write,
	...suite
}: Suite): Omit<FileRun, "files" | "workers" | "isIsolated"> {
	return { root, options: options ?? [], write, silenceMs: suite.silenceMs ?? silenceMs };
}

async function runAgain(
	suite: Suite,
	results: ReadonlyMap<string, FileResult>,
): Promise<Map<string, FileResult>> {
	const failed = [...results].flatMap(([file, { cases }]) =>
		cases.some(({ outcome }) => outcome === "failed") ? [file] : [],
	);
	const again = new Map<string, FileResult>();
	if (failed.length === 0) return again;
	if (failed.length > rerunFiles) {
		suite.write(`\ntau: ${failed.length} files have failures: too many to run them again by themselves.\n`);
		return again;
	}
	suite.write(`\ntau: running files with failures again, each by itself: ${failed.length}\n`);
	for (const file of failed) {
		const { files } = await runFiles({ ...fileRun(suite), files: [file], workers: 1, isIsolated: true });
		for (const [path, result] of files) again.set(path, result);
	}
	return again;
}

interface Runs {
	results: ReadonlyMap<string, FileResult>;
	again: ReadonlyMap<string, FileResult>;
	problems: readonly string[];
}

function conclude({ write }: Suite, { results, again, problems }: Runs): number {
	const verdicts = [...results].map(([file, { cases }]) => judge(cases, again.get(file)?.cases));
	const counts = sum(verdicts);
	const outputOf = (test: TestCase): string =>
		withError(test, results.get(test.file)?.output || again.get(test.file)?.output || "");
	for (const test of verdicts.flatMap(({ flaky }) => flaky)) {
		write(`\nFLAKY ${test.file}: ${test.name}\nIt failed in one run and passed in the other. The failure:\n`);
		write(outputOf(test));
	}
	const failed = verdicts.flatMap((verdict) => verdict.failed);
	// Its output is above, once for all failures of a file.
	for (const { file, name, error = "" } of failed) write(`\nFAILED ${file}: ${name}\n${error}`);
	for (const problem of problems) write(`\ntau: ${problem}\n`);
	write(`\n${skippedFor([...results.values(), ...again.values()].flatMap(({ cases }) => cases))}`);
	const flakyFiles = verdicts.filter((verdict) => verdict.flaky.length > 0).length;
	if (flakyFiles > flakyAllowed)
		write(`${flakyFiles} files with flaky tests are more than ${flakyAllowed}: a failure\n`);
	else if (counts.flaky > 0) write(`${counts.flaky} flaky: printed above, and to be mended\n`);
	counts.failed += problems.length;
	const flaky = counts.flaky > 0 ? `, ${counts.flaky} flaky` : "";
	write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped${flaky}\n`);
	// A suite that ran nothing has shown nothing.
	return counts.failed > 0 || flakyFiles > flakyAllowed || counts.passed === 0 ? 1 : 0;
}

/** Bun sometimes prints the output of a test below the name of another file; the report always has the error. */
function withError({ error = "" }: TestCase, output: string): string {
	const [first = ""] = error.replace(/^\w*Error: /, "").split("\n");
	return output.includes(first) ? output : `${error.trimEnd()}\n${output}`;
}

function sum(verdicts: readonly Verdict[]): Counts {
	const counts: Counts = { passed: 0, failed: 0, skipped: 0, flaky: 0 };
	for (const verdict of verdicts)
		for (const name of ["passed", "failed", "skipped", "flaky"] as const)
			counts[name] += verdict.counts[name];
	return counts;
}

/** One line: what the skipped tests need (`needs` of test/support puts it into their names). */
function skippedFor(cases: readonly { name: string; outcome: string }[]): string {
	const skipped = new Set(cases.filter(({ outcome }) => outcome === "skipped").map(({ name }) => name));
	const counts = new Map<string, number>();
	for (const name of skipped) {
		const [, what = "something that they do not name"] = /\(needs (.+?)(?: and .+)?\)$/.exec(name) ?? [];
		counts.set(what, (counts.get(what) ?? 0) + 1);
	}
	const parts = [...counts]
		.toSorted(([, a], [, b]) => b - a)
		.map(([what, count]) => `${count} that need ${what}`);
	return parts.length === 0 ? "" : `skipped: ${parts.join(", ")}\n`;
}

/** How long each file took in the last run of this checkout. */
class Durations {
	readonly #root: string;
	readonly #path: string;
	readonly #known = new Map<string, number>();

	constructor(root: string) {
		this.#root = root;
		this.#path = join(root, "node_modules/.cache/test-durations.json");
		try {
			const known: unknown = JSON.parse(readFileSync(this.#path, "utf8"));
			for (const [file, ms] of Object.entries(known ?? {}))
				if (typeof ms === "number") this.#known.set(file, ms);
		} catch {
			// The first run of this checkout: only guesses.
		}
	}

	of(lane: Lane): Map<string, number> {
		return new Map([
			...estimateMs(this.#root, lane.files),
			...lane.files.flatMap((file) => this.#entry(file)),
		]);
	}

	#entry(file: string): [string, number][] {
		const ms = this.#known.get(file);
		return ms === undefined ? [] : [[file, ms]];
	}

	save(results: ReadonlyMap<string, FileResult>): void {
		for (const [file, { ms }] of results) this.#known.set(file, Math.round(ms));
		try {
			mkdirSync(dirname(this.#path), { recursive: true });
			writeFileSync(this.#path, JSON.stringify(Object.fromEntries(this.#known)));
		} catch {
			// A checkout that cannot be written: the next run guesses again.
		}
	}
}

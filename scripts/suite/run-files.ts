/** Runs test files with `bun test` and returns the result of each one, also of those that crash, hang or do not load. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { TestOutput } from "./output.ts";
import { readReport, type FileReport, type TestCase } from "./report.ts";

export interface FileRun {
	/** The directory that the paths of the files are relative to. */
	root: string;
	files: readonly string[];
	workers: number;
	/** A fresh module registry for each file. */
	isIsolated: boolean;
	/** Further options of `bun test`. */
	options: readonly string[];
	/** How long a file may be silent before its process is killed. */
	silenceMs: number;
	/** Expected durations in milliseconds: the longest files start first. */
	durations?: ReadonlyMap<string, number>;
	write(text: string): void;
}

export interface FileResult extends FileReport {
	/** What the failures have printed. */
	output: string;
}

/**
 * On a busy machine a test that takes a second alone may take a minute. The waits of tests end after a minute, each with
 * what it waited for: sooner than their test, whose end Bun cannot explain, and at which it kills Chromium, too.
 */
const perTestMs = 180_000;
let runs = 0;

export interface RunResult {
	files: Map<string, FileResult>;
	/** Why the run has failed although none of its tests has. */
	problem?: string;
}

export async function runFiles(run: FileRun): Promise<RunResult> {
	const base = join(tmpdir(), `tau-test-${process.pid}-${runs++}`);
	const [report, timings] = [`${base}.xml`, `${base}.json`];
	try {
		await Bun.write(timings, timingsOf(run));
		const output = new TestOutput(run.files, run.write);
		const code = await runBun(run, output, [
			"--reporter=junit",
			`--reporter-outfile=${report}`,
			`--timings=${timings}`,
		]);
		const reports = readReport(existsSync(report) ? readFileSync(report, "utf8") : "");
		return resultsOf(run, { code, reports, output });
	} finally {
		for (const path of [report, timings]) rmSync(path, { force: true });
	}
}

function timingsOf({ files, durations }: FileRun): string {
	const known = files.map((file) => [file, Math.round(durations?.get(file) ?? 0)] as const);
	return JSON.stringify({ version: 1, files: Object.fromEntries(known) });
}

async function runBun(run: FileRun, output: TestOutput, reporting: readonly string[]): Promise<number> {
	const bun = [process.execPath, "test", `--parallel=${run.workers}`, "--parallel-delay=0"];
	bun.push(run.isIsolated ? "--isolate" : "--no-isolate", `--timeout=${perTestMs}`, ...reporting);
	bun.push(...run.options, ...run.files.map((file) => `./${file}`));
	// One pipe for both streams, so that a failure stays beside what it has printed.
	const child = Bun.spawn(["sh", "-c", 'exec "$@" 2>&1', "sh", ...bun], {
		cwd: run.root,
		stdin: "ignore",
		stdout: "pipe",
		stderr: "inherit",
		env: {
			// Few functions of a test run often enough to repay their last compilation: without it, 12 % less CPU time.
			BUN_JSC_useFTLJIT: "0",
			...process.env,
			// As an action of GitHub or in color Bun marks its output up.
			GITHUB_ACTIONS: undefined,
			FORCE_COLOR: undefined,
			NO_COLOR: "1",
		},
	});
	let spokeAt = performance.now();
	const watch = setInterval(
		() => {
			if (performance.now() - spokeAt < run.silenceMs) return;
			spokeAt = performance.now();
			killStuck(child.pid);
		},
		Math.min(1000, run.silenceMs / 2),
	);
	try {
		let rest = "";
		const decoder = new TextDecoder();
		for await (const chunk of child.stdout) {
			spokeAt = performance.now();
			const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
			rest = lines.pop() ?? "";
			for (const line of lines) output.line(line);
		}
		return await child.exited;
	} finally {
		clearInterval(watch);
	}
}

/** Kills the processes that run the files: Bun reports each file as crashed and continues with the next. */
function killStuck(pid: number): void {
	const workers = childrenOf(pid);
	for (const worker of workers.length > 0 ? workers : [pid]) {
		try {
			process.kill(worker, "SIGKILL");
		} catch {
			// It has ended meanwhile.
		}
	}
}

function childrenOf(pid: number): number[] {
	const { stdout } = Bun.which("pgrep")
		? Bun.spawnSync(["pgrep", "-P", String(pid)], { stderr: "ignore" })
		: Bun.spawnSync(["sh", "-c", `cat /proc/${pid}/task/*/children`], { stderr: "ignore" });
	return (stdout.toString().match(/\d+/g) ?? []).map(Number);
}

interface Ended {
	code: number;
	reports: ReadonlyMap<string, FileReport>;
	output: TestOutput;
}

function resultsOf(run: FileRun, { code, reports, output }: Ended): RunResult {
	const files = new Map<string, FileResult>();
	const isFiltered = run.options.some((option) => /^(?:-t|--test-name-pattern|--changed)/.test(option));
	for (const file of run.files) {
		const { cases, ms } = reports.get(file) ?? { cases: [], ms: 0 };
		const thrownAt = output.unhandled.get(file);
		const failure: TestCase[] = [];
		if (thrownAt) failure.push({ file, name: "(error outside of a test)", outcome: "failed", thrownAt });
		else if (cases.length === 0 && !isFiltered)
			failure.push({ file, name: "(no result)", outcome: "failed" });
		files.set(file, { cases: [...cases, ...failure], ms, output: output.failures.get(file) ?? "" });
	}
	const outcomes = new Set([...files.values()].flatMap(({ cases }) => cases.map(({ outcome }) => outcome)));
	// Bun fails too if no test has the wanted name; whatever else it has seen that we have not, must not be lost.
	const isKnown = code === 0 || outcomes.has("failed") || (isFiltered && !outcomes.has("passed"));
	return isKnown ? { files } : { files, problem: `bun test ended with code ${code}, but no test failed` };
}

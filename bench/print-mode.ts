/** What Tau itself takes while a model answers at once: a long answer, and turns with tools; beside the last release. */
import { join } from "node:path";

import { playModel, type Scenario, type Step } from "@tau/ai/testing";

import { homeFor, modelName } from "./home.ts";
import { cpuMs } from "./program.ts";
import { thisBuild, type Build } from "./release.ts";
import type { Row } from "./report.ts";

const rounds = 9;
const turns = 20;
/** The length of a conversation whose last turns must not take longer than its first. */
const manyTurns = 400;
const manyRounds = 3;

export async function printMode(release?: Build): Promise<Row[]> {
	const builds = release ? [thisBuild, release] : [thisBuild];
	const [short, long] = [20_000, 40_000];
	const none = await afterRequest(builds, { steps: ["done"] });
	const megabytes = await afterRequest(builds, longAnswer(short));
	const twice = await afterRequest(builds, longAnswer(long));
	const perTurn = (all: Millis): Millis => all.map((ms, at) => (ms - (none[at] ?? Number.NaN)) / turns);
	const bash = perTurn(await afterRequest(builds, calls(bashCall, turns)));
	const read = perTurn(await afterRequest(builds, calls(readCall, turns)));
	const row = (name: string, unit: string, budget: number, [value = Number.NaN, before]: Millis): Row => ({
		name,
		value,
		unit,
		budget,
		...(release && before !== undefined ? { release: { name: release.name, value: before } } : {}),
	});
	const linear = twice.map((ms, at) => ms / (megabytes[at] ?? Number.NaN) / 2);
	return [
		row("2 MB answer in 20,000 deltas, after the request", "ms", 60, megabytes),
		{ name: "4 MB answer, to 2 MB", value: linear[0] ?? Number.NaN, unit: "of linear", budget: 1.3 },
		row(`own time of a turn with bash, of ${turns}`, "ms", 3, bash),
		row(`own time of a turn with read, of ${turns}`, "ms", 2, read),
		...(await growth()),
	];
}

/** By build. */
type Millis = number[];

function longAnswer(deltas: number): Scenario {
	const text =
		"a hundred characters of an answer that never ends, because it is only there to be long, word by word. ";
	return { steps: [{ answer: { blocks: [{ text: text.slice(0, 100).repeat(deltas), chunks: deltas }] } }] };
}

type Call = (index: number) => { name: string; arguments: Record<string, unknown> };

/** Each call differs from the one before: a run that repeats itself is ended. */
const readCall: Call = (index) => ({
	name: "read",
	arguments: { path: `note-${index % turns}.txt`, limit: index + 1 },
});
const bashCall: Call = (index) => ({ name: "bash", arguments: { command: `echo ${index}` } });

function calls(call: Call, count: number): Scenario {
	const step = (_: unknown, index: number): Step => ({ answer: { blocks: [{ toolCall: call(index) }] } });
	return { steps: [...Array.from({ length: count }, step), "done"] };
}

/** From the arrival of the first request to the end of the process, in the middle run; the builds take turns. */
async function afterRequest(builds: readonly Build[], scenario: Scenario): Promise<Millis> {
	const samples = builds.map((): number[] => []);
	let arrived = 0;
	await using played = await playModel(scenario, { onRequest: () => void (arrived ||= performance.now()) });
	// A home for each: what one has left there may cost another.
	using homes = new DisposableStack();
	const places = builds.map(({ tau }) => ({ tau, home: homes.use(homeFor(played)) }));
	for (const { home } of places) await writeNotes(home.project);
	// The first round fills caches and is thrown away.
	for (let round = -1; round < rounds; round++) {
		for (const [at, { tau, home }] of places.entries()) {
			played.setScenario(scenario);
			arrived = 0;
			await run(tau, home);
			if (round >= 0) samples[at]?.push(performance.now() - arrived);
		}
	}
	return samples.map(middle);
}

/** The processor time of the last turns of a long conversation, to that of the first. */
async function growth(): Promise<Row[]> {
	const rows: Row[] = [];
	for (const [tool, call] of [
		["bash", bashCall],
		["read", readCall],
	] as const) {
		const ratios: number[] = [];
		for (let round = 0; round < manyRounds; round++) ratios.push(await lastToFirst(calls(call, manyTurns)));
		const name = `the last ${turns} of ${manyTurns} turns with ${tool}, CPU, to the first ${turns}`;
		rows.push({ name, value: middle(ratios), unit: "x", budget: 1.2 });
	}
	return rows;
}

async function lastToFirst(scenario: Scenario): Promise<number> {
	let pid: number | undefined;
	const used: number[] = [];
	await using played = await playModel(scenario, { onRequest: () => void (pid && used.push(cpuMs(pid))) });
	using home = homeFor(played);
	await writeNotes(home.project);
	await run(thisBuild.tau, home, (started) => (pid = started));
	// The first turn starts the shell: what it takes is measured above.
	const over = (from: number): number => (used[from + turns] ?? Number.NaN) - (used[from] ?? Number.NaN);
	return over(manyTurns - turns) / over(1);
}

async function writeNotes(directory: string): Promise<void> {
	for (let note = 0; note < turns; note++)
		await Bun.write(join(directory, `note-${note}.txt`), `a short note, number ${note}\n`);
}

async function run(
	tau: string,
	home: { project: string; env: Record<string, string> },
	onStart?: (pid: number) => void,
): Promise<void> {
	await using child = Bun.spawn([tau, "-p", "go", "--model", modelName], {
		cwd: home.project,
		env: { ...process.env, ...home.env },
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
	onStart?.(child.pid);
	const [code, errors] = await Promise.all([child.exited, child.stderr.text(), child.stdout.text()]);
	if (code !== 0) throw new Error(`tau ended with ${code}: ${errors.trim()}`);
}

function middle(values: readonly number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** What 200 stream rules cost while a long answer comes, and at the first prompt. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { playModel } from "@tau/ai/testing";

import { homeFor, modelName, tau, type Home } from "./home.ts";
import { median } from "./program.ts";
import { times, type Row } from "./report.ts";

const rounds = 11;

export async function streamRules(): Promise<Row[]> {
	const rare = compared("rare");
	const mixed = compared("mixed");
	return [
		// Two hundredths of the second of CPU that such an answer may take on the screen. One of the rules has a word that
		// stands in every other line, and is looked into there each time: that is most of it.
		row("whose words hardly occur", rare, 20),
		row("of the kinds that people write", mixed, 100),
		{
			name: `reading and compiling ${rare.conditions.length} rules, at the first prompt`,
			value: await starting(rare.conditions),
			unit: "ms of CPU",
			budget: 80,
		},
	];
}

function row(kind: string, measured: Compared, budget: number): Row {
	const { conditions, answerChars, deltas, ms, engineMs } = measured;
	return {
		name: `${conditions.length} rules ${kind}, over ${answerChars / 1000} KB in ${deltas} deltas`,
		value: ms,
		unit: "ms",
		budget,
		beside: times(ms, engineMs, "the engine alone, at line ends"),
	};
}

/** In turns, and a process for each round: an answer is read once, by code that nothing has warmed up. */
function compared(sample: string): Compared {
	const ours: Read[] = [];
	const engine: Read[] = [];
	for (let round = 0; round < rounds; round++) {
		ours.push(readAnswer(sample));
		engine.push(readAnswer(sample, { BENCH_ENGINE: "1" }));
	}
	const medianOf = (reads: readonly Read[]): number => median(reads.map(({ ms }) => ms));
	return { ...readAnswer(sample), ms: medianOf(ours), engineMs: medianOf(engine) };
}

function readAnswer(sample: string, more: Record<string, string> = {}): Read {
	const script = join(import.meta.dir, "../packages/resources/src/rules/ttsr/testing/main.ts");
	const env = { ...process.env, BENCH_SAMPLE: sample, ...more };
	return JSON.parse(Bun.spawnSync([process.execPath, script], { env }).stdout.toString());
}

interface Read {
	ms: number;
	conditions: string[];
	answerChars: number;
	deltas: number;
}

interface Compared extends Read {
	engineMs: number;
}

/** With and without rules, in turns. */
async function starting(conditions: readonly string[]): Promise<number> {
	await using played = await playModel({ steps: [{ answer: "hi", times: "always" }] });
	using homes = new DisposableStack();
	const [plain, planted] = [homes.use(homeFor(played)), homes.use(homeFor(played))];
	plant(planted, conditions);
	const samples: [number[], number[]] = [[], []];
	for (let round = 0; round < rounds; round++) {
		samples[0].push(await printedIn(plain));
		samples[1].push(await printedIn(planted));
	}
	return median(samples[1]) - median(samples[0]);
}

async function printedIn({ project, env }: Home): Promise<number> {
	const child = Bun.spawn([tau, "-p", "go", "--model", modelName], {
		cwd: project,
		env: { ...process.env, ...env },
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
	const [code, errors] = await Promise.all([child.exited, child.stderr.text(), child.stdout.text()]);
	if (code !== 0) throw new Error(`tau ended with ${code}: ${errors.trim()}`);
	return Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000;
}

function plant({ env }: Home, conditions: readonly string[]): void {
	const folder = join(env.HOME ?? "", ".tau/agent/rules");
	mkdirSync(folder, { recursive: true });
	for (const [n, condition] of conditions.entries()) {
		const head = `description: x\ncondition: ${JSON.stringify(condition)}`;
		writeFileSync(join(folder, `rule-${n}.md`), `---\n${head}\n---\nx\n`);
	}
}

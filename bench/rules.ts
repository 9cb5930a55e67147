/** What 200 stream rules cost while a long answer comes, and at the first prompt. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { playModel } from "@tau/ai/testing";

import { homeFor, modelName, tau, type Home } from "./home.ts";
import { median } from "./program.ts";
import type { Row } from "./report.ts";

const rounds = 11;

export async function streamRules(): Promise<Row[]> {
	const heard = Array.from({ length: rounds }, listening);
	const [{ answerChars, deltas, conditions } = listening()] = heard;
	return [
		{
			name: `${conditions.length} rules over ${answerChars / 1000} KB in ${deltas} deltas, in a process that has just begun`,
			value: median(heard.map(({ ms }) => ms)),
			unit: "ms",
			// Two hundredths of the second of CPU that such an answer may take on the screen. One of the rules has a word
			// that stands in every other line, and is looked into there each time: that is most of it.
			budget: 20,
		},
		{
			name: `reading and compiling ${conditions.length} rules, at the first prompt`,
			value: await starting(conditions),
			unit: "ms of CPU",
			budget: 80,
		},
	];
}

/** A process for each round: an answer is heard once, by code that nothing has warmed up. */
function listening(): Heard {
	const script = join(import.meta.dir, "../packages/extensions/src/rules/ttsr/testing/main.ts");
	return JSON.parse(Bun.spawnSync([process.execPath, script]).stdout.toString());
}

interface Heard {
	ms: number;
	conditions: string[];
	answerChars: number;
	deltas: number;
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

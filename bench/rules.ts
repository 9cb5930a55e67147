/** What 200 stream rules cost while a long answer comes, as a part of what the whole program takes for that answer. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { playModel, type Scenario } from "@tau/ai/testing";

import { homeFor, modelName, tau, type Home } from "./home.ts";
import { median, Program } from "./program.ts";
import type { Row } from "./report.ts";

const answerChars = 200_000;
const deltas = 4000;
const rules = 200;
const rounds = 11;
const end = "The end is here.";

export async function streamRules(): Promise<Row[]> {
	const print = await inPrintMode();
	const screen = await inTerminal();
	return [
		share("on the screen", screen),
		share("in print mode", print),
		{
			name: `reading and compiling ${rules} rules, at the first prompt`,
			value: print.startMs,
			unit: "ms of CPU",
			budget: 60,
		},
	];
}

interface Cost {
	/** Of the answer in the whole program, without rules. */
	wholeMs: number;
	rulesMs: number;
}

function share(where: string, { wholeMs, rulesMs }: Cost): Row {
	return {
		name: `${rules} rules over ${answerChars / 1000} KB in ${deltas} deltas, ${where}`,
		value: rulesMs,
		unit: "ms of CPU",
		// Two hundredths of the second of CPU that such an answer may take on the screen. It is run once and never gets
		// warm: the same answer again takes a tenth of that.
		budget: 20,
		beside: `${((100 * rulesMs) / wholeMs).toFixed(0)} % of the ${wholeMs.toFixed(0)} ms that the program takes for all`,
	};
}

/** Four runs in turns: with and without rules, each with the answer and with a short one, which is no part of the cost. */
async function inPrintMode(): Promise<Cost & { startMs: number }> {
	const short = { steps: [{ answer: "hi", times: "always" as const }] };
	await using playedLong = await playModel(longAnswer());
	await using playedShort = await playModel(short);
	using homes = new DisposableStack();
	const places = [playedLong, playedShort].flatMap((played) =>
		[false, true].map((hasRules) => {
			const home = homes.use(homeFor(played));
			if (hasRules) plant(home);
			return home;
		}),
	);
	const samples: number[][] = places.map(() => []);
	for (let round = -1; round < rounds; round++) {
		for (const [at, place] of places.entries()) {
			const ms = await printedIn(place);
			if (round >= 0) samples[at]?.push(ms);
		}
	}
	const [long = 0, longRules = 0, brief = 0, briefRules = 0] = samples.map(median);
	return { wholeMs: long, rulesMs: longRules - briefRules - (long - brief), startMs: briefRules - brief };
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

async function inTerminal(): Promise<Cost> {
	const [without, withRules]: [number[], number[]] = [[], []];
	for (let round = 0; round < 5; round++) {
		without.push(await shown(false));
		withRules.push(await shown(true));
	}
	return { wholeMs: median(without), rulesMs: median(withRules) - median(without) };
}

/** The first, short answer has the rules read and compiled. */
async function shown(hasRules: boolean): Promise<number> {
	// The program asks for a title, too, in words of its own.
	const [step] = longAnswer().steps;
	if (typeof step !== "object") throw new Error("there is no answer");
	const steps = [{ ...step, when: { bodyContains: "tell me all" } }];
	await using played = await playModel({ steps, fallback: { answer: "First." } });
	using home = homeFor(played);
	if (hasRules) plant(home);
	await using program = new Program({
		command: [tau, "--model", modelName],
		cwd: home.project,
		env: home.env,
	});
	await program.untilTyped("zqzq");
	program.type("\r");
	await program.until("First.");
	await Bun.sleep(500);
	const before = program.cpuMs();
	program.type("tell me all\r");
	await program.until(end);
	await Bun.sleep(100);
	return program.cpuMs() - before;
}

function longAnswer(): Scenario {
	const line =
		"The parser reads each line once, keeps what is finished and lays out the open block; see layout.ts.\n";
	const code =
		"export function settle(rows: readonly string[]): string[] { return rows.map((row) => row.trim()); }\n";
	const text = `${line}${code}\n`.repeat(Math.ceil(answerChars / (line.length + code.length)));
	const blocks = [{ text: `${text.slice(0, answerChars)}\n\n${end}`, chunks: deltas }];
	return { steps: [{ answer: { blocks }, times: "always" }] };
}

const shapes: readonly ((n: number) => string)[] = [
	(n) => `legacyCall${n}\\(`,
	(n) => `import .* from ['"]package-${n}['"]`,
	(n) => `(?i)\\bdeprecated${n}\\b`,
	(n) => `new Thing${n}\\([^)]*\\)(?!;)`,
	// Their words do occur in the text, so that they are followed.
	(n) => (n % 50 === 4 ? `function\\s+settle${n}\\b` : `(?:old|former)Helper${n}`),
];

function plant({ env }: Home): void {
	const folder = join(env.HOME ?? "", ".tau/agent/rules");
	mkdirSync(folder, { recursive: true });
	for (let n = 0; n < rules; n++) {
		const condition = JSON.stringify(shapes[n % shapes.length]?.(n));
		writeFileSync(join(folder, `rule-${n}.md`), `---\ndescription: x\ncondition: ${condition}\n---\nx\n`);
	}
}

/** How long Tau takes to start, over bare Bun. */
import type { BytecodeOrderStats } from "bun:jsc";
import { join } from "node:path";

import { playModel } from "@tau/ai/testing";

import { homeFor, modelName, tau, type Home } from "./home.ts";
import { measure, type Candidate, type Timed } from "./measure.ts";
import { readAnew, thisBuild, type Build } from "./release.ts";
import { times, type Row } from "./report.ts";

const rounds = 25;

export async function startUp(release?: Build): Promise<Row[]> {
	await using played = await playModel({ steps: [], fallback: { answer: "hi" } });
	using home = homeFor(played);
	using other = homeFor(played);
	readAnew(release ? [thisBuild, release] : [thisBuild]);
	const before = release ? starts(release.tau, other) : [];
	const [bare, models, ...timed] = await measure([...others(home), ...starts(tau, home), ...before], rounds);
	const [version, help, answer, ...released] = timed;
	if (!bare || !version || !help || !answer || !models) throw new Error("a measurement is missing");
	const whole = (name: string, at: number, budget: number, of: (one: Timed) => number, unit = "ms"): Row => {
		const [now, then] = [timed[at], released[at]];
		return {
			name,
			value: now ? of(now) : Number.NaN,
			unit,
			budget,
			beside: times(now ? of(now) : Number.NaN, of(bare), "bare bun"),
			...(release && then ? { release: { name: release.name, value: of(then) } } : {}),
		};
	};
	return [
		whole("tau --version", 0, 15, median),
		whole("tau --help", 1, 25, median),
		whole("tau -p hi, instant model", 2, 45, median),
		whole("tau -p hi, peak memory", 2, 52, ({ peakBytes }) => peakBytes / 1024 / 1024, "MB"),
		{
			name: "functions of a start outside the recorded order",
			value: await missed(home),
			unit: "%",
			budget: 25,
		},
		overBare("import of @tau/ai, from source", models, bare, 15),
	];
}

/** As the executable counts them: when many are missed, `npm run bytecode-order` has to record again. */
async function missed({ env, project }: Home): Promise<number> {
	const [preload, counts] = [join(project, "count.js"), join(project, "counts.json")];
	const write = `writeFileSync(${JSON.stringify(counts)}, JSON.stringify(bytecodeOrderStats()))`;
	const imports = `import { bytecodeOrderStats } from "bun:jsc"; import { writeFileSync } from "node:fs";`;
	await Bun.write(preload, `${imports} process.on("exit", () => ${write});`);
	const child = Bun.spawn([tau, "-p", "hi", "--model", modelName], {
		cwd: project,
		env: { ...process.env, ...env, BUN_OPTIONS: `--preload=${preload}` },
		stdin: "ignore",
		stdout: "ignore",
	});
	await child.exited;
	const { hot, cold, unknown }: BytecodeOrderStats = await Bun.file(counts).json();
	return (100 * (cold + unknown)) / (hot + cold + unknown);
}

function median({ medianMs }: Timed): number {
	return medianMs;
}

function starts(program: string, { env }: Home): Candidate[] {
	return [
		{ name: "version", command: [program, "--version"], env },
		{ name: "help", command: [program, "--help"], env },
		{ name: "print", command: [program, "-p", "hi", "--model", modelName], env },
	];
}

function others({ env }: Home): Candidate[] {
	const door = join(import.meta.dir, "../node_modules/@tau/ai/src/index.ts");
	return [
		{ name: "bun -e 0", command: [process.execPath, "-e", "0"], env },
		{ name: "import", command: [process.execPath, "-e", `import ${JSON.stringify(door)}`], env },
	];
}

function overBare(name: string, timed: Timed, bare: Timed, budget: number): Row {
	return {
		name,
		value: timed.medianMs - bare.medianMs,
		unit: "ms over bun",
		budget,
		beside: times(timed.medianMs, bare.medianMs, "bare bun"),
	};
}

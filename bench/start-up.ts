/** How long Tau takes to start, over bare Bun. */
import { join } from "node:path";

import { playModel } from "@tau/ai/testing";

import { homeFor, modelName, tau, type Home } from "./home.ts";
import { measure, type Candidate, type Timed } from "./measure.ts";
import { times, type Row } from "./report.ts";

const rounds = 25;

export async function startUp(): Promise<Row[]> {
	await using played = await playModel({ steps: [], fallback: { answer: "hi" } });
	using home = homeFor(played);
	const [bare, version, help, answer, models] = await measure(candidates(home), rounds);
	if (!bare || !version || !help || !answer || !models) throw new Error("a measurement is missing");
	return [
		whole("tau --version", version, bare, 15),
		whole("tau --help", help, bare, 25),
		whole("tau -p hi, instant model", answer, bare, 50),
		{
			name: "tau -p hi, peak memory",
			value: answer.peakBytes / 1024 / 1024,
			unit: "MB",
			budget: 55,
			beside: times(answer.peakBytes, bare.peakBytes, "bare bun"),
		},
		overBare("import of @tau/ai, from source", models, bare, 15),
	];
}

function candidates({ env }: Home): Candidate[] {
	const door = join(import.meta.dir, "../node_modules/@tau/ai/src/index.ts");
	return [
		{ name: "bun -e 0", command: [process.execPath, "-e", "0"], env },
		{ name: "version", command: [tau, "--version"], env },
		{ name: "help", command: [tau, "--help"], env },
		{ name: "print", command: [tau, "-p", "hi", "--model", modelName], env },
		{ name: "import", command: [process.execPath, "-e", `import ${JSON.stringify(door)}`], env },
	];
}

function whole(name: string, timed: Timed, bare: Timed, budget: number): Row {
	return {
		name,
		value: timed.medianMs,
		unit: "ms",
		budget,
		beside: times(timed.medianMs, bare.medianMs, "bare bun"),
	};
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

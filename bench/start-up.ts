/** How long Tau takes to start, over bare Bun. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modelsYml, playModel } from "@tau/ai/testing";

import { measure, type Candidate, type Timed } from "./measure.ts";
import type { Row } from "./report.ts";

const root = join(import.meta.dir, "..");
const rounds = 25;

export async function startUp(): Promise<Row[]> {
	await using played = await playModel({ steps: [], fallback: { answer: "hi" } });
	const home = mkdtempSync(join(tmpdir(), "tau-bench-"));
	try {
		const agent = join(home, ".tau/agent");
		mkdirSync(agent, { recursive: true });
		writeFileSync(join(agent, "models.yml"), modelsYml(played, { api: "anthropic-messages" }));
		const [bare, version, help, answer] = await measure(candidates(home), rounds);
		if (!bare || !version || !help || !answer) throw new Error("a measurement is missing");
		return [
			overBare("tau --version", version, bare, 25),
			overBare("tau --help", help, bare, 40),
			overBare("tau -p hi, instant model", answer, bare, 95),
			{
				name: "tau -p hi, peak memory",
				value: answer.peakBytes / 1024 / 1024,
				unit: "MB",
				budget: 80,
				ratio: answer.peakBytes / bare.peakBytes,
			},
		];
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

function candidates(home: string): Candidate[] {
	const tau = join(root, "tau");
	const env = { HOME: home, TAU_FROM_SOURCE: "" };
	return [
		{ name: "bun -e 0", command: [process.execPath, "-e", "0"], env },
		{ name: "version", command: [tau, "--version"], env },
		{ name: "help", command: [tau, "--help"], env },
		{ name: "print", command: [tau, "-p", "hi", "--model", "played/played-1"], env },
	];
}

function overBare(name: string, timed: Timed, bare: Timed, budget: number): Row {
	return {
		name,
		value: timed.medianMs - bare.medianMs,
		unit: "ms over bun",
		budget,
		ratio: timed.medianMs / bare.medianMs,
	};
}

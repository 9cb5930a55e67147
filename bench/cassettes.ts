/** How fast recorded sessions replay: 200 in one run of the program, and one in process. */
import { join } from "node:path";

import { framesOf, readCassette, timelineOf } from "@tau/cassette";

import { launch, type Launched } from "../test/support/launch.ts";
import type { Row } from "./report.ts";

/** Tokens come at 50 a second from a fast model: a short session of three answers then takes about this long. */
const delayMs = 20;
const words = 300;
const rounds = 3;
const sessions = 200;

export async function cassettes(): Promise<Row[]> {
	const step = { answer: { blocks: [{ text: "word ".repeat(words), chunks: words }], delayMs } };
	const call = { toolCall: { name: "bash", arguments: { command: "echo hello" } } };
	await using tau = await launch({
		steps: [{ answer: { ...step.answer, blocks: [...step.answer.blocks, call] } }, step, step],
	});
	await tau.run(["-p", "say something", "again", "--record", "bench.cassette"]);
	const file = join(tau.project, "bench.cassette");
	const { lengthMs } = await timelineOf(readCassette(file));
	const programMs = await best(() => replayed(tau));
	const inProcessMs = await best(async () => {
		const cassette = readCassette(file);
		return [...framesOf(cassette, await timelineOf(cassette))].length;
	});
	return [
		{
			name: `tau replay of ${sessions} sessions of ${Math.round(lengthMs / 1000)} s each, the whole program`,
			value: (lengthMs * sessions) / programMs,
			unit: "times real time",
			budget: 50,
			atLeast: true,
		},
		{
			name: "one of them in process",
			value: lengthMs / inProcessMs,
			unit: "times real time",
			budget: 50,
			atLeast: true,
		},
	];
}

async function replayed(tau: Launched): Promise<number> {
	const files = Array.from({ length: sessions }, () => "bench.cassette");
	const { code, err } = await tau.run(["replay", ...files, "--json"]);
	if (code !== 0) throw new Error(`tau replay failed: ${err}`);
	return code;
}

async function best(work: () => Promise<unknown>): Promise<number> {
	let least = Number.POSITIVE_INFINITY;
	for (let round = 0; round < rounds; round++) {
		const started = performance.now();
		await work();
		least = Math.min(least, performance.now() - started);
	}
	return least;
}

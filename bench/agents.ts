/** What agents cost: from the parent's answer to their first request, their prompts, and many of them at once. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { playModel, type PlayedModel, type Scenario, type Step } from "@tau/ai/testing";

import { ourselves } from "./contender.ts";
import { homeFor, modelName, tau } from "./home.ts";
import { ModelProcess } from "./latency-model.ts";
import { median, Program } from "./program.ts";
import type { Row } from "./report.ts";

const rounds = 9;
const crowd = 20;
/** As the other figures about prompts count. */
const charsPerToken = 4;

export async function agents(): Promise<Row[]> {
	const [one, four] = [await starting(1), await starting(4)];
	const { keyMs, idleMs, moreMB } = await crowded();
	return [
		{ name: "the parent's answer to the first request of an agent", value: one.ms, unit: "ms", budget: 25 },
		{ name: "the same for the last of four", value: four.ms, unit: "ms", budget: 40 },
		{ name: "the first request of an agent of type task", value: one.tokens, unit: "tokens", budget: 3000 },
		{ name: "the tool task", value: one.toolTokens, unit: "tokens", budget: 500 },
		{ name: `memory of ${crowd} agents above the parent`, value: moreMB, unit: "MB", budget: 60 },
		{
			name: `slowest key while ${crowd} agents work`,
			value: keyMs,
			unit: "ms",
			budget: 10,
			beside: `${idleMs.toFixed(1)} ms without them`,
		},
	];
}

interface Started {
	ms: number;
	tokens: number;
	toolTokens: number;
}

function delegate(count: number): Step {
	const tasks = Array.from({ length: count }, (_, at) => ({
		assignment: `count the files (${at})`,
		name: `Agent${at}`,
	}));
	return { answer: { blocks: [{ toolCall: { name: "task", arguments: { tasks } } }] } };
}

async function starting(count: number): Promise<Started> {
	const samples: Started[] = [];
	for (let round = -1; round < rounds; round++) {
		await using played = await playModel({ steps: [delegate(count)], fallback: { answer: "Done." } });
		using home = homeFor(played);
		await using child = Bun.spawn([tau, "-p", "--model", modelName, "go"], {
			cwd: home.project,
			env: { ...process.env, ...home.env, TAU_NO_TITLE: "1" },
			stdio: ["ignore", "ignore", "inherit"],
		});
		if ((await child.exited) !== 0) throw new Error("tau failed");
		if (round >= 0) samples.push(startOf(played, count));
	}
	const { tokens = Number.NaN, toolTokens = Number.NaN } = samples[0] ?? {};
	return { ms: median(samples.map(({ ms }) => ms)), tokens, toolTokens };
}

function startOf({ requests }: PlayedModel, count: number): Started {
	const [parent, ...rest] = requests;
	const children = rest.slice(0, count);
	const last = Math.max(...children.map(({ arrivedAt }) => arrivedAt));
	const ms = last - (parent?.closedAt ?? Number.NaN);
	const chars = Math.max(...children.map(({ rawBody }) => rawBody.length));
	const { tools = [] } = (parent?.body ?? {}) as { tools?: { name: string }[] };
	const own = tools.find(({ name }) => name === "task");
	return { ms, tokens: chars / charsPerToken, toolTokens: JSON.stringify(own).length / charsPerToken };
}

/** Agents that talk and call tools as fast as models do, in the interactive mode. */
async function crowded(): Promise<{ keyMs: number; idleMs: number; moreMB: number }> {
	const text = "some words of an agent that works on something. ".repeat(40);
	const blocks = [{ text, chunks: 100 }, { toolCall: { name: "ls", arguments: {} } }];
	const scenario: Scenario = {
		steps: [
			{ answer: "Ready." },
			delegate(crowd),
			{ when: { bodyContains: "carry out one task" }, answer: { blocks, delayMs: 10 }, times: "always" },
		],
		fallback: { answer: "Done." },
	};
	await using model = new ModelProcess(scenario);
	using place = ourselves.start(await model.server);
	// The same call again and again would be stopped.
	const settings = `loopDetection: false\ntask:\n  maxConcurrency: ${crowd}\n`;
	writeFileSync(join(place.env.HOME ?? "", ".tau/agent/config.yml"), settings);
	await using program = new Program({
		...place,
		env: { ...place.env, TAU_CONTAINER: "bench", TAU_SANDBOX: "off" },
	});
	await program.untilTyped("zqzq");
	await program.send("\x15hello");
	await program.until("Ready.");
	await Bun.sleep(1000);
	const idleMs = await program.slowestKeyMs();
	const before = program.residentMB();
	await program.send("\x15go");
	await program.until("Agent0");
	await Bun.sleep(2000);
	const moreMB = program.residentMB() - before;
	const slowest: number[] = [];
	for (let round = 0; round < 3; round++) slowest.push(await program.slowestKeyMs());
	return { keyMs: median(slowest), idleMs, moreMB };
}

/** What debugging costs: to the first stop of a program, and a look at a stopped one, with an adapter that answers at once. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { playModel, type Step } from "@tau/ai/testing";

import { homeFor, modelName, tau } from "./home.ts";
import { median } from "./program.ts";
import type { Row } from "./report.ts";

const rounds = 5;
const looks = 20;
const charsPerToken = 4;
const adapter = join(import.meta.dir, "../test/support/fault-adapter.ts");

export async function debugging(): Promise<Row[]> {
	const runs: Measured[] = [];
	for (let round = -1; round < rounds; round++) {
		const run = await measured();
		if (round >= 0) runs.push(run);
	}
	const of = (figure: (run: Measured) => number): number => median(runs.map(figure));
	return [
		{
			name: "launch to the first stop, over the start of the adapter",
			value: of(({ launch, bare }) => launch - bare),
			unit: "ms",
			budget: 40,
			beside: `${of(({ bare }) => bare).toFixed(0)} ms for bun with the adapter's first answer`,
		},
		{
			name: "a look at a stopped program, over a turn with ls",
			value: of(({ look, ls }) => look - ls),
			unit: "ms",
			budget: 2,
		},
		{ name: "the tool debug", value: of(({ tokens }) => tokens), unit: "tokens", budget: 900 },
	];
}

interface Measured {
	launch: number;
	/** The adapter by itself, to its first answer. */
	bare: number;
	look: number;
	ls: number;
	tokens: number;
}

function call(name: string, args: object): Step {
	return { answer: { blocks: [{ toolCall: { name, arguments: { ...args } } }] } };
}

async function measured(): Promise<Measured> {
	const look = (): Step[] => [call("debug", { action: "stack" }), call("ls", { path: "." })];
	const steps = [
		call("ls", { path: "." }),
		call("debug", { action: "launch", program: "a.x" }),
		...Array.from({ length: looks }, look).flat(),
	];
	await using played = await playModel({ steps, fallback: { answer: "Done." } });
	using home = homeFor(played);
	const adapters = JSON.stringify({ bench: { command: [process.execPath, adapter, "none"], files: [".x"] } });
	writeFileSync(
		join(home.env.HOME ?? "", ".tau/agent/config.yml"),
		`loopDetection: false\ndebug: { adapters: ${adapters} }\n`,
	);
	writeFileSync(join(home.project, "a.x"), "\n");
	await using child = Bun.spawn([tau, "-p", "--model", modelName, "go"], {
		cwd: home.project,
		env: { ...process.env, ...home.env, TAU_NO_TITLE: "1", TAU_CONTAINER: "bench", TAU_SANDBOX: "off" },
		stdio: ["ignore", "ignore", "inherit"],
	});
	if ((await child.exited) !== 0) throw new Error("tau failed");
	const { requests } = played;
	const took = requests.slice(1).map((next, at) => next.arrivedAt - (requests[at]?.closedAt ?? Number.NaN));
	const later = took.slice(2, 2 + 2 * looks);
	const { tools = [] } = (requests[2]?.body ?? {}) as { tools?: { name: string }[] };
	return {
		launch: took[1] ?? Number.NaN,
		bare: await firstAnswer(),
		look: median(later.filter((_, at) => at % 2 === 0)),
		ls: median(later.filter((_, at) => at % 2 === 1)),
		tokens: JSON.stringify(tools.find(({ name }) => name === "debug")).length / charsPerToken,
	};
}

async function firstAnswer(): Promise<number> {
	const started = performance.now();
	await using child = Bun.spawn([process.execPath, adapter, "none"], { stdin: "pipe", stdout: "pipe" });
	const request = JSON.stringify({ seq: 1, type: "request", command: "initialize" });
	child.stdin.write(`Content-Length: ${request.length}\r\n\r\n${request}`);
	await child.stdin.flush();
	await child.stdout.getReader().read();
	return performance.now() - started;
}

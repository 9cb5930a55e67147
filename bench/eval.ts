/** What cells cost: the first of a language, later ones beside another tool, and many calls of tools from one cell. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { playModel, type Step } from "@tau/ai/testing";

import { homeFor, modelName, tau } from "./home.ts";
import { median } from "./program.ts";
import type { Row } from "./report.ts";

const rounds = 5;
const later = 30;
const calls = 200;
/** As the other figures about prompts count. */
const charsPerToken = 4;

export async function cells(): Promise<Row[]> {
	const runs: Measured[] = [];
	for (let round = -1; round < rounds; round++) {
		const run = await measured();
		if (round >= 0) runs.push(run);
	}
	const of = (figure: (run: Measured) => number): number => median(runs.map(figure));
	return [
		{
			name: "the first cell of Python",
			value: of(({ python }) => python.first),
			unit: "ms",
			budget: 80,
			beside: `${of(({ bare }) => bare).toFixed(0)} ms for python3 -c pass`,
		},
		{ name: "the first cell of JavaScript", value: of(({ js }) => js.first), unit: "ms", budget: 80 },
		{
			name: "a later cell of Python, over a turn with ls",
			value: of(({ python, ls }) => python.next - ls),
			unit: "ms",
			budget: 2,
		},
		{
			name: "a later cell of JavaScript, over a turn with ls",
			value: of(({ js, ls }) => js.next - ls),
			unit: "ms",
			budget: 2,
		},
		{
			name: `${calls} calls of grep from one cell`,
			value: of(({ fromCell, direct }) => fromCell / direct),
			unit: "x of one answer with all of them",
			budget: 1.5,
			beside: `${of(({ fromCell }) => fromCell).toFixed(0)} ms`,
		},
		{ name: "the tool eval", value: of(({ tokens }) => tokens), unit: "tokens", budget: 400 },
	];
}

interface Measured {
	python: { first: number; next: number };
	js: { first: number; next: number };
	ls: number;
	/** Python by itself, in the same run. */
	bare: number;
	fromCell: number;
	direct: number;
	tokens: number;
}

function call(name: string, args: object): Step {
	return { answer: { blocks: [{ toolCall: { name, arguments: { ...args } } }] } };
}

/** In turns, so that a busy machine is busy for all. */
async function measured(): Promise<Measured> {
	const cell = (language: string, code: string): Step => call("eval", { language, code });
	const turn = (at: number): Step[] => [
		cell("python", `1 + ${at}`),
		cell("js", `1 + ${at}`),
		call("ls", { path: "." }),
	];
	// Side by side, as the calls of one answer are.
	const code = `await Promise.all(Array.from({ length: ${calls} }, () => tools.grep({ pattern: "x", path: "a.txt" })))`;
	const grep = { toolCall: { name: "grep", arguments: { pattern: "x", path: "a.txt" } } };
	const steps = [
		...Array.from({ length: later + 1 }, (_, at) => turn(at)).flat(),
		cell("js", code),
		{ answer: { blocks: Array.from({ length: calls }, () => grep) } },
	];
	await using played = await playModel({ steps, fallback: { answer: "Done." } });
	using home = homeFor(played);
	// The same call again and again would be stopped.
	writeFileSync(join(home.env.HOME ?? "", ".tau/agent/config.yml"), "loopDetection: false\n");
	writeFileSync(join(home.project, "a.txt"), "x\n");
	await using child = Bun.spawn([tau, "-p", "--model", modelName, "go"], {
		cwd: home.project,
		env: { ...process.env, ...home.env, TAU_NO_TITLE: "1", TAU_CONTAINER: "bench", TAU_SANDBOX: "off" },
		stdio: ["ignore", "ignore", "inherit"],
	});
	if ((await child.exited) !== 0) throw new Error("tau failed");
	const started = performance.now();
	await Bun.spawn(["python3", "-c", "pass"]).exited;
	const bare = performance.now() - started;
	const { requests } = played;
	const took = requests.slice(1).map((next, at) => next.arrivedAt - (requests[at]?.closedAt ?? Number.NaN));
	const every = (first: number): number[] =>
		took.slice(3, 3 * (later + 1)).filter((_, at) => at % 3 === first);
	const [python = Number.NaN, js = Number.NaN] = took;
	const { tools = [] } = (requests[1]?.body ?? {}) as { tools?: { name: string }[] };
	const schema = JSON.stringify(tools.find(({ name }) => name === "eval"));
	return {
		python: { first: python, next: median(every(0)) },
		js: { first: js, next: median(every(1)) },
		ls: median(every(2)),
		bare,
		fromCell: took.at(-2) ?? Number.NaN,
		direct: took.at(-1) ?? Number.NaN,
		tokens: schema.length / charsPerToken,
	};
}

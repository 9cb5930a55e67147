/** What Tau itself takes of the time of an answer and of a tool's turn, with a model that does not support thinking. */
import { join } from "node:path";

import { playModel, type Scenario, type Step } from "@tau/ai/testing";

import { homeFor, modelName, tau } from "./home.ts";
import type { Row } from "./report.ts";

const rounds = 7;
const turns = 20;

export async function printMode(): Promise<Row[]> {
	const [short, long] = [20_000, 40_000];
	const megabytes = await afterRequest(longAnswer(short));
	const twice = await afterRequest(longAnswer(long));
	const none = await afterRequest({ steps: ["done"] });
	const all = await afterRequest({ steps: [...Array.from({ length: turns }, readCall), "done"] });
	return [
		{ name: "2 MB answer in 20,000 deltas, after the request", value: megabytes, unit: "ms", budget: 60 },
		{ name: "4 MB answer, to 2 MB", value: twice / megabytes / 2, unit: "of linear", budget: 1.3 },
		{ name: `own time of a tool turn, of ${turns}`, value: (all - none) / turns, unit: "ms", budget: 2.5 },
	];
}

function longAnswer(deltas: number): Scenario {
	const text =
		"a hundred characters of an answer that never ends, because it is only there to be long, word by word. ";
	return { steps: [{ answer: { blocks: [{ text: text.slice(0, 100).repeat(deltas), chunks: deltas }] } }] };
}

/** Each call differs from the one before: a run that repeats itself is ended. */
function readCall(_: unknown, index: number): Step {
	return { answer: { blocks: [{ toolCall: { name: "read", arguments: { path: `note-${index}.txt` } } }] } };
}

/** From the arrival of the first request to the end of the process, in the middle run. */
async function afterRequest(scenario: Scenario): Promise<number> {
	let arrived = 0;
	const onRequest = (): void => void (arrived ||= performance.now());
	await using played = await playModel(scenario, { onRequest });
	using home = homeFor(played);
	for (let note = 0; note < turns; note++)
		await Bun.write(join(home.project, `note-${note}.txt`), `a short note, number ${note}\n`);
	const samples: number[] = [];
	for (let round = 0; round < rounds; round++) {
		played.setScenario(scenario);
		arrived = 0;
		await using child = Bun.spawn([tau, "-p", "go", "--model", modelName], {
			cwd: home.project,
			env: { ...process.env, ...home.env },
			stdin: "ignore",
			stdout: "pipe",
			stderr: "pipe",
		});
		const [code, errors] = await Promise.all([child.exited, child.stderr.text(), child.stdout.text()]);
		if (code !== 0) throw new Error(`tau ended with ${code}: ${errors.trim()}`);
		samples.push(performance.now() - arrived);
	}
	return samples.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
}

/** What 20 extensions add to a start, and to a key: each with a tool, a command and handlers of the busiest events. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { playModel } from "@tau/ai/testing";

import { homeFor, modelName, tau, type Home } from "./home.ts";
import { measure } from "./measure.ts";
import { median, Program } from "./program.ts";
import type { Row } from "./report.ts";

const count = 20;
const rounds = 15;
const probe = "zqzq";

export async function extensions(): Promise<Row[]> {
	await using played = await playModel({ steps: [], fallback: { answer: "hi" } });
	using bare = homeFor(played);
	using full = homeFor(played);
	plant(full);
	const times = { bare: [] as number[], full: [] as number[] };
	const keys = { bare: [] as number[], full: [] as number[] };
	for (let round = -1; round < rounds; round++) {
		for (const [name, home] of [["bare", bare] as const, ["full", full] as const]) {
			const started = performance.now();
			await using program = new Program({
				command: [tau, "--model", modelName],
				cwd: home.project,
				env: home.env,
			});
			await program.untilTyped(probe);
			if (round < 0) continue;
			times[name].push(performance.now() - started);
			// A few are enough of what takes a second each.
			if (round % 5 === 0) keys[name].push(await program.keyMs());
		}
	}
	const print = [tau, "-p", "hi", "--model", modelName];
	const [none, all] = await measure(
		[
			{ name: "none", command: print, env: bare.env },
			{ name: "all", command: print, env: full.env },
		],
		rounds,
	);
	if (!none || !all) throw new Error("a measurement is missing");
	return [
		{
			name: `${count} extensions: tau -p hi, start to end`,
			value: all.medianMs - none.medianMs,
			unit: "ms more",
			budget: 60,
			beside: `${all.medianMs.toFixed(1)} ms instead of ${none.medianMs.toFixed(1)}`,
		},
		{
			name: `${count} extensions: launch to a prompt that takes keys`,
			value: median(times.full) - median(times.bare),
			unit: "ms more",
			budget: 60,
			beside: `${median(times.full).toFixed(1)} ms instead of ${median(times.bare).toFixed(1)}`,
		},
		{
			name: `${count} extensions: key to screen`,
			value: median(keys.full) - median(keys.bare),
			unit: "ms more",
			// What two runs of the same differ by.
			budget: 0.5,
			beside: `${median(keys.full).toFixed(1)} ms instead of ${median(keys.bare).toFixed(1)}`,
		},
	];
}

function plant({ env }: Home): void {
	const folder = join(env.HOME ?? "", ".tau/agent/extensions");
	mkdirSync(folder, { recursive: true });
	for (let at = 0; at < count; at++) writeFileSync(join(folder, `extension-${at}.ts`), source(at));
}

function source(at: number): string {
	return `
import { Type, type ExtensionAPI } from "@tau/coding-agent";

export default function extension(pi: ExtensionAPI) {
	let seen = 0;
	for (const name of ["session_start", "agent_start", "turn_start", "message_update", "tool_call", "tool_result"] as const)
		pi.on(name, () => void seen++);
	pi.registerTool({
		name: "tool_${at}",
		label: "Tool ${at}",
		description: "Says its number.",
		parameters: Type.Object({ name: Type.String() }),
		execute: async () => ({ content: [{ type: "text", text: String(seen) }], details: {} }),
	});
	pi.registerCommand("command-${at}", { description: "Says it too", handler: async (_, ctx) => ctx.ui.notify(String(seen)) });
}
`;
}

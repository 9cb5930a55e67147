/** How soon Tau answers an editor that starts it, opens a session, and is gone when the editor is. */
import { playModel } from "@tau/ai/testing";

import { homeFor, modelName, tau } from "./home.ts";
import { median } from "./program.ts";
import type { Row } from "./report.ts";

const starts = 15;

export async function editors(): Promise<Row[]> {
	await using played = await playModel({ steps: [], fallback: { answer: "Done." } });
	using home = homeFor(played);
	const rounds: Round[] = [];
	// The first round fills caches and is thrown away.
	for (let round = -1; round < starts; round++) {
		const measured = await one(home.env, home.project);
		if (round >= 0) rounds.push(measured);
	}
	const middle = (what: keyof Round): number => median(rounds.map((round) => round[what]));
	return [
		{
			name: "initialize, from the start of the process",
			value: middle("initialize"),
			unit: "ms",
			budget: 60,
		},
		{ name: "a session, from there", value: middle("session"), unit: "ms", budget: 100 },
		{ name: "gone after the end of the input", value: middle("exit"), unit: "ms", budget: 100 },
	];
}

interface Round {
	initialize: number;
	session: number;
	exit: number;
}

async function one(env: Record<string, string>, cwd: string): Promise<Round> {
	const started = performance.now();
	const child = Bun.spawn([tau, "acp", "--model", modelName], {
		cwd,
		env: { ...process.env, ...env },
		stdin: "pipe",
		stdout: "pipe",
		stderr: "ignore",
	});
	const reader = child.stdout.getReader();
	const ask = async (id: number, method: string, params: object): Promise<number> => {
		child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
		await child.stdin.flush();
		await reader.read();
		return performance.now();
	};
	const initialized = await ask(0, "initialize", { protocolVersion: 1, clientCapabilities: {} });
	const opened = await ask(1, "session/new", { cwd, mcpServers: [] });
	await child.stdin.end();
	await child.exited;
	return {
		initialize: initialized - started,
		session: opened - initialized,
		exit: performance.now() - opened,
	};
}

/** How soon Tau answers an editor that starts it, opens a session, and is gone when the editor is. */
import { playModel } from "@tau/ai/testing";

import { homeFor, modelName, tau } from "./home.ts";
import { median } from "./program.ts";
import type { Row } from "./report.ts";

const starts = 15;
/** What other editors' users start instead. */
const peer = "@agentclientprotocol/claude-agent-acp";

/** `withPeers`: the answer of another agent is measured between Tau's own. */
export async function editors(withPeers: boolean): Promise<Row[]> {
	await using played = await playModel({ steps: [], fallback: { answer: "Done." } });
	using home = homeFor(played);
	const rounds: Round[] = [];
	const { env, project: cwd } = home;
	const other = withPeers ? await (await import("./peers.ts")).editorPeer(peer) : undefined;
	const others: number[] = [];
	// The first round fills caches and is thrown away.
	for (let round = -1; round < starts; round++) {
		const measured = await one(env, cwd);
		const besides = other && (await initialized(other.command, env, cwd));
		if (round < 0) continue;
		rounds.push(measured);
		if (besides !== undefined) others.push(besides);
	}
	const middle = (what: keyof Round): number => median(rounds.map((round) => round[what]));
	return [
		{
			name: "initialize, from the start of the process",
			value: middle("initialize"),
			unit: "ms",
			budget: 60,
		},
		...(other
			? [
					{
						name: "initialize, beside claude-agent-acp",
						value: middle("initialize") / median(others),
						unit: "x",
						budget: 0.3,
						beside: `${median(others).toFixed(0)} ms of ${other.version}`,
					},
				]
			: []),
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
	const { child, ask } = start([tau, "acp", "--model", modelName], env, cwd);
	const answered = await ask(0, "initialize", greeting);
	const opened = await ask(1, "session/new", { cwd, mcpServers: [] });
	await child.stdin.end();
	await child.exited;
	return { initialize: answered - started, session: opened - answered, exit: performance.now() - opened };
}

const greeting = { protocolVersion: 1, clientCapabilities: {} };

async function initialized(command: string[], env: Record<string, string>, cwd: string): Promise<number> {
	const started = performance.now();
	const { child, ask } = start(command, env, cwd);
	const answered = await ask(0, "initialize", greeting);
	child.kill("SIGKILL");
	await child.exited;
	return answered - started;
}

function start(command: string[], env: Record<string, string>, cwd: string) {
	const child = Bun.spawn(command, {
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
		const { done } = await reader.read();
		if (done) throw new Error(`${command.join(" ")} ended before it answered ${method}.`);
		return performance.now();
	};
	return { child, ask };
}

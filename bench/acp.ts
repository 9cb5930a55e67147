/** How soon Tau answers an editor that starts it, opens a session and cancels a prompt, and is gone when the editor is. */
import { playModel, type Scenario } from "@tau/ai/testing";

import { homeFor, modelName, tau } from "./home.ts";
import { median } from "./program.ts";
import type { Row } from "./report.ts";

const starts = 15;
/** Prompts that are cancelled in each phase of a turn. */
const cancels = 9;
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
		await cancelling(),
	];
}

interface Phase {
	readonly name: string;
	readonly step: Scenario["steps"][number];
	readonly mode: "full" | "ask";
	/** A message with this has come when the phase is reached; undefined: the model has the request. */
	readonly sign?: string;
}

function bash(command: string): Phase["step"] {
	return { answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] } };
}

const phases: readonly Phase[] = [
	{ name: "waiting", step: { fault: { silent: true } }, mode: "full" },
	{
		name: "streaming",
		step: { answer: { blocks: [{ text: "word ".repeat(400), chunks: 400 }], delayMs: 20 } },
		mode: "full",
		sign: '"agent_message_chunk"',
	},
	{ name: "command", step: bash("sleep 60"), mode: "full", sign: '"in_progress"' },
	{ name: "asked", step: bash("node -e 1"), mode: "ask", sign: '"session/request_permission"' },
];

/** From the notification to the answer of the prompt, in every phase of a turn; the worst phase counts. */
async function cancelling(): Promise<Row> {
	await using played = await playModel({
		steps: phases.flatMap(({ step }) => Array.from({ length: cancels }, () => step)),
	});
	using home = homeFor(played);
	const { child, ask, send, until } = start(
		[tau, "acp", "--model", modelName],
		{ ...home.env, TAU_SANDBOX: "off", TAU_CONTAINER: "none" },
		home.project,
	);
	let id = 0;
	await ask(id++, "initialize", greeting);
	send({ id: id++, method: "session/new", params: { cwd: home.project, mcpServers: [] } });
	const [, sessionId = ""] = /"sessionId":"([^"]+)"/.exec(await until('"id":1,')) ?? [];
	const middles: string[] = [];
	let worst = 0;
	for (const { name, mode, sign } of phases) {
		await ask(id++, "session/set_mode", { sessionId, modeId: mode });
		const times: number[] = [];
		for (let round = 0; round < cancels; round++) {
			const prompt = id++;
			send({
				id: prompt,
				method: "session/prompt",
				params: { sessionId, prompt: [{ type: "text", text: "go" }] },
			});
			if (sign === undefined) await played.waitForRequest(played.requests.length + 1);
			else await until(sign);
			const from = performance.now();
			send({ method: "session/cancel", params: { sessionId } });
			await until(`"id":${prompt},`);
			times.push(performance.now() - from);
		}
		worst = Math.max(worst, median(times));
		middles.push(`${name} ${median(times).toFixed(1)}`);
	}
	await child.stdin.end();
	await child.exited;
	return {
		name: "a cancelled prompt is answered, in the worst phase of a turn",
		value: worst,
		unit: "ms",
		budget: 50,
		beside: `${middles.join(", ")} ms`,
	};
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
	const decoder = new TextDecoder();
	let unread = "";
	const send = (message: object): void => {
		child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
		void child.stdin.flush();
	};
	/** The next line that has the text. */
	const until = async (text: string): Promise<string> => {
		for (;;) {
			const end = unread.indexOf("\n");
			const line = unread.slice(0, end);
			unread = unread.slice(end + 1);
			if (end >= 0 && line.includes(text)) return line;
			if (end >= 0) continue;
			const { value, done } = await reader.read();
			if (done) throw new Error(`${command.join(" ")} ended before it sent ${text}.`);
			unread += decoder.decode(value, { stream: true });
		}
	};
	const ask = async (id: number, method: string, params: object): Promise<number> => {
		send({ id, method, params });
		await until(`"id":${id},`);
		return performance.now();
	};
	return { child, ask, send, until };
}

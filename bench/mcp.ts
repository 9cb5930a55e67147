/** What MCP servers cost: nothing at launch, little in the first request, and little over the official client in a call. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { CredentialStore } from "@tau/ai";
import { playModel } from "@tau/ai/testing";
import { McpServers, parseServer } from "@tau/resources/mcp";
import { Settings } from "@tau/config/settings";

import { ourselves } from "./contender.ts";
import { homeFor, modelName, tau } from "./home.ts";
import { median, Program } from "./program.ts";
import type { Row } from "./report.ts";

const launches = 15;
const crowd = 10;
const calls = 300;
/** As the other figures about prompts count. */
const charsPerToken = 4;
const bun = join(import.meta.dir, "../node_modules/.bin/bun");
const server = join(import.meta.dir, "../test/mcp/plain-server.ts");
const faulty = join(import.meta.dir, "../test/support/mcp/fault-server.ts");

export async function mcp(): Promise<Row[]> {
	const { launches: launched, memoryMB } = await interactive([0, crowd]);
	const requests = await firstRequests([
		{},
		{ never: { command: bun, args: [faulty, "silent"] } },
		{ many: { command: bun, args: [server], env: { MCP_TOOLS: "200" } } },
	]);
	const [none = [], never = [], many = []] = requests;
	const { ours, theirs } = await callTimes();
	return [
		{
			name: `launch with ${crowd} servers over one without`,
			value: difference(launched[0], launched[1]),
			unit: "ms",
			// The noise of two launches.
			budget: 5,
			beside: `${median(launched[0] ?? []).toFixed(0)} ms without`,
		},
		{
			name: "memory of each idle server, that of the server aside",
			value: ((memoryMB[1] ?? Number.NaN) - (memoryMB[0] ?? Number.NaN)) / crowd,
			unit: "MB",
			budget: 15,
		},
		{
			name: "first request with a server that never answers over one without",
			value: difference(times(none), times(never)),
			unit: "ms",
			budget: 20,
			beside: `${median(times(none)).toFixed(0)} ms without`,
		},
		{
			name: "200 tools in the first request",
			value: ((many[0]?.chars ?? Number.NaN) - (none[0]?.chars ?? Number.NaN)) / charsPerToken,
			unit: "tokens",
			budget: 300,
		},
		{
			name: "a call over the official client",
			value: ours - theirs,
			unit: "ms",
			budget: 2,
			beside: `${theirs.toFixed(2)} ms by the client alone`,
		},
	];
}

/** In turns, so that a busy machine is busy for all of them. */
async function interactive(counts: readonly number[]): Promise<{ launches: number[][]; memoryMB: number[] }> {
	await using played = await playModel({ steps: [], fallback: { answer: "Done." } });
	const measured = { launches: counts.map((): number[] => []), memoryMB: [] as number[] };
	for (let round = -1; round < launches; round++) {
		for (const [at, count] of counts.entries()) {
			using place = ourselves.start(played);
			const servers = Array.from({ length: count }, (_, name) => [
				`s${name}`,
				{ command: bun, args: [server] },
			]);
			configure(place.env.HOME ?? "", Object.fromEntries(servers));
			const began = performance.now();
			await using program = new Program(place);
			await program.untilTyped("zqzq");
			if (round >= 0) measured.launches[at]?.push(performance.now() - began);
			if (round < launches - 1) continue;
			// All servers are connected by then, and the garbage of the start is gone.
			await Bun.sleep(8_000);
			measured.memoryMB.push(program.residentMB());
		}
	}
	return measured;
}

interface FirstRequest {
	ms: number;
	chars: number;
}

async function firstRequests(candidates: readonly Record<string, object>[]): Promise<FirstRequest[][]> {
	const samples = candidates.map((): FirstRequest[] => []);
	for (let round = -1; round < launches; round++) {
		for (const [at, servers] of candidates.entries()) {
			const sample = await firstRequest(servers);
			if (round >= 0) samples[at]?.push(sample);
		}
	}
	return samples;
}

async function firstRequest(servers: Record<string, object>): Promise<FirstRequest> {
	await using played = await playModel({ steps: [], fallback: { answer: "Done." } });
	using home = homeFor(played);
	configure(home.env.HOME ?? "", servers);
	const began = performance.timeOrigin + performance.now();
	await using child = Bun.spawn([tau, "-p", "--model", modelName, "go"], {
		cwd: home.project,
		env: { ...process.env, ...home.env, TAU_NO_TITLE: "1" },
		stdio: ["ignore", "ignore", "inherit"],
	});
	if ((await child.exited) !== 0) throw new Error("tau failed");
	const [first] = played.requests;
	return { ms: (first?.arrivedAt ?? Number.NaN) - began, chars: first?.rawBody.length ?? Number.NaN };
}

const times = (samples: readonly FirstRequest[]): number[] => samples.map(({ ms }) => ms);

/** The middle of what each round has found. */
function difference(without: readonly number[] = [], others: readonly number[] = []): number {
	return median(others.map((ms, round) => ms - (without[round] ?? Number.NaN)));
}

async function callTimes(): Promise<{ ours: number; theirs: number }> {
	const client = new Client({ name: "bench", version: "1" });
	await client.connect(new StdioClientTransport({ command: bun, args: [server] }));
	await client.listTools();
	await using servers = await ourServers();
	const [own] = servers.running;
	if (!own) throw new Error("the server did not start");
	const { signal } = new AbortController();
	await own.connection.start();
	const samples = { ours: [] as number[], theirs: [] as number[] };
	for (let round = 0; round < calls; round++) {
		samples.theirs.push(await timed(() => client.callTool({ name: "echo", arguments: { text: "hi" } })));
		samples.ours.push(await timed(() => own.connection.call("echo", { text: "hi" }, { signal })));
	}
	await client.close();
	return { ours: median(samples.ours), theirs: median(samples.theirs) };
}

async function ourServers(): Promise<McpServers> {
	const parsed = parseServer({ command: bun, args: [server] });
	if (!parsed.ok) throw new Error(parsed.message);
	const nothing = async (): Promise<void> => {};
	const place = "/nonexistent";
	const servers = new McpServers({
		cwd: "/",
		env: process.env,
		settings: await Settings.load({ cwd: "/", agentDir: place }),
		store: await CredentialStore.open({ path: join(place, "agent.db"), env: {}, onNotice: () => {} }),
		find: async () => [
			{
				name: "plain",
				origin: { source: "tau", level: "user", path: place },
				config: parsed.config,
				isUntrusted: false,
			},
		],
		startsAll: true,
		mayStart: async () => true,
		files: { add: nothing, remove: nothing, setEnabled: nothing },
		openUrl: () => false,
		onNotice: () => {},
	});
	await servers.start();
	return servers;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
	const began = performance.now();
	await work();
	return performance.now() - began;
}

function configure(home: string, mcpServers: Record<string, object>): void {
	writeFileSync(join(home, ".tau/agent/mcp.json"), JSON.stringify({ mcpServers }));
}

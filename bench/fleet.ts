/** The fleet on one machine: what the store takes of a task, long lists, and how soon a warm worker asks the model. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { playModel, type PlayedModel } from "@tau/ai/testing";
import { openStore, type TaskSpec, type TaskStore } from "@tau/fleet";

import { TestRedis } from "../test/support/relay/redis.ts";
import { homeFor, modelName, tau } from "./home.ts";
import { median } from "./program.ts";
import type { Row } from "./report.ts";

const rounds = 5;
const queued = 10_000;
/** Of a task of a minute: its messages, its heartbeats, and what it says it does. */
const minute = { appends: 60, renewals: 6, reports: 60 };
const line = JSON.stringify({ type: "message", message: { role: "toolResult", content: "x".repeat(2000) } });

const spec = {
	prompt: "make a file",
	ref: "HEAD",
	policy: "auto",
	tries: 3,
	labels: [],
	priority: 0,
	after: [],
} as const;

export async function fleets(): Promise<Row[]> {
	return [...(await stored()), ...(await listedOnRedis()), ...(await started())];
}

async function stored(): Promise<Row[]> {
	const directory = mkdtempSync(join(tmpdir(), "tau-bench-fleet-"));
	try {
		await using store = await openStore({ url: undefined, directory, env: {} });
		await store.add([{ ...spec, repo: "/r", commit: "c" }]);
		const lease = await store.claim({ id: "bench", labels: [] });
		if (!lease) throw new Error("no task");
		const before = process.cpuUsage();
		for (let at = 0; at < minute.appends; at++) await store.append(lease, { after: at, lines: [line] });
		for (let at = 0; at < minute.renewals; at++) await store.renew(lease);
		for (let at = 0; at < minute.reports; at++) await store.report(lease, { cost: at, questions: [] });
		const { user, system } = process.cpuUsage(before);
		await store.add(Array.from({ length: queued }, () => ({ ...spec, repo: "/r", commit: "c" })));
		const listMs = await listed(store, queued + 1);
		return [
			{ name: "10,000 queued tasks listed", value: listMs, unit: "ms", budget: 100 },
			{
				name: "the store's part of a task of a minute",
				value: (user + system) / 600_000,
				unit: "%",
				budget: 1,
			},
		];
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}

/** Where there is one: tests start it as this does. */
async function listedOnRedis(): Promise<Row[]> {
	if (Bun.which("redis-server") === null) return [];
	await using redis = await TestRedis.start();
	await using store = await openStore({ url: redis.url, directory: "", env: {} });
	await store.add(Array.from({ length: queued }, () => ({ ...spec, repo: "/r", commit: "c" })));
	return [
		{
			name: "10,000 queued tasks listed, Redis",
			value: await listed(store, queued),
			unit: "ms",
			budget: 100,
		},
	];
}

const working = "keep working";

/** From the command to the request that tells the model; the task makes one short call after the other. */
async function steered(store: TaskStore, task: TaskSpec, played: PlayedModel): Promise<number> {
	const requests = played.requests.length;
	const [running] = await store.add([{ ...task, prompt: working }]);
	while (played.requests.length < requests + 3) await Bun.sleep(1);
	const times: number[] = [];
	for (let round = 0; round <= rounds; round++) {
		const text = `steering message ${round}`;
		const isReported = (): boolean => played.requests.at(-1)?.rawBody.includes(text) === true;
		const from = performance.now();
		await store.send(running?.id ?? "", { kind: "steer", text });
		while (!isReported()) await Bun.sleep(1);
		if (round > 0) times.push(performance.now() - from);
	}
	await store.stop(running?.id ?? "");
	return median(times);
}

async function listed(store: Pick<TaskStore, "list">, count: number): Promise<number> {
	const times: number[] = [];
	for (let round = 0; round <= rounds; round++) {
		const from = performance.now();
		if ((await store.list()).length !== count) throw new Error("tasks are missing");
		if (round > 0) times.push(performance.now() - from);
	}
	return median(times);
}

async function started(): Promise<Row[]> {
	const call = { toolCall: { name: "bash", arguments: { command: "true" } } };
	const always = { when: { bodyContains: working }, answer: { blocks: [call] }, times: "always" as const };
	await using played = await playModel({ steps: [always], fallback: { answer: "Done." } });
	using home = homeFor(played);
	const git = (...args: string[]): string => {
		const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
		return Bun.spawnSync(["git", ...identity, ...args], { cwd: home.project })
			.stdout.toString()
			.trim();
	};
	git("init", "--quiet");
	git("commit", "--quiet", "--allow-empty", "-m", "Start");
	const task = { ...spec, repo: home.project, commit: git("rev-parse", "HEAD"), model: modelName };
	const env = { PATH: process.env.PATH ?? "", ...home.env };
	const worker = Bun.spawn([tau, "worker"], { env, stdout: "ignore", stderr: "ignore" });
	try {
		const directory = join(home.env.HOME ?? "", ".tau/state/fleet");
		await using store = await openStore({ url: undefined, directory, env: {} });
		const times: number[] = [];
		for (let round = 0; round <= rounds; round++) {
			const requests = played.requests.length;
			const from = performance.now();
			await store.add([task]);
			while (played.requests.length === requests) await Bun.sleep(1);
			if (round > 0) times.push(performance.now() - from);
			while ((await store.list(["queued", "running"])).length > 0) await Bun.sleep(10);
		}
		return [
			{
				name: "a message to a running task, to the request that has it",
				value: await steered(store, task, played),
				unit: "ms",
				budget: 50,
			},
			{
				name: "a task added, to the first request of a warm worker",
				value: median(times),
				unit: "ms",
				budget: 500,
			},
		];
	} finally {
		worker.kill("SIGTERM");
		await worker.exited;
	}
}

/** Several workers over a real Redis: killed again and again, and Redis too, at any moment; and keys of the gateway for each task. */
import { afterAll, beforeAll, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { startRelay } from "@tau/relay";

import { samples } from "../support/depth.ts";
import { needs } from "../support/needs.ts";
import { launch, type Running } from "../support/launch.ts";
import { TestRedis } from "../support/relay/redis.ts";
import { launchFleet, type ShownTask } from "./fleet.ts";

const test = needs("redis-server");

let redis: TestRedis | undefined;

beforeAll(async () => {
	if (Bun.which("redis-server") !== null) redis = await TestRedis.start({ isKept: true });
});

afterAll(async () => await redis?.[Symbol.asyncDispose]());

/** Numbers from 0 to 1 that are the same in each run. */
function randomFrom(seed: number): () => number {
	let state = seed;
	return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

/**
 * It makes a file, and says so once it has: a call whose result was lost with its worker is made again. The script does not
 * depend on how many tasks there are, or on their order.
 */
const scenario = {
	steps: [{ when: { bodyContains: "Created made.txt" }, answer: "Made it.", times: "always" as const }],
	fallback: {
		answer: { blocks: [{ toolCall: { name: "write", arguments: { path: "made.txt", content: "x\n" } } }] },
	},
};

test("each task is done exactly once while workers and Redis are killed", async () => {
	const env = { TAU_FLEET_URL: redis?.url ?? "", TAU_FLEET_LEASE_MS: "3000" };
	await using fleet = await launchFleet(scenario, env);
	const count = samples(200, 6);
	const kills = samples(40, 3);
	const ids = await fleet.add("make a file", "--repo", `file://${fleet.project}`, "--count", String(count));
	expect(ids).toHaveLength(count);
	const workers: Running[] = [1, 2, 3].map(() => fleet.worker("--slots", "2"));
	const list = async (): Promise<ShownTask[]> =>
		(await fleet.run(["task", "list", "--json"])).out
			.split("\n")
			.filter(Boolean)
			.map((line): ShownTask => JSON.parse(line));
	const isOver = ({ state }: ShownTask): boolean => state === "done" || state === "failed";
	const random = randomFrom(7);
	for (let kill = 0; kill < kills; kill++) {
		const [victim] = workers.splice(Math.floor(random() * workers.length), 1);
		// In the middle of what it does, wherever that is.
		const starts = 1 + Math.floor(random() * samples(4, 1));
		await victim?.until(({ err }) => err.split("started").length > starts);
		victim?.process.kill("SIGKILL");
		await victim?.finished;
		workers.push(fleet.worker("--slots", "2"));
		if (kill % 10 === 1) {
			await redis?.kill();
			await redis?.run();
		}
	}
	const deadline = Date.now() + 120_000 + count * 12000;
	let tasks = await list();
	while (!(tasks.length === count && tasks.every(isOver))) {
		if (Date.now() > deadline)
			throw new Error(`never: ${JSON.stringify(tasks.filter((task) => !isOver(task)))}`);
		tasks = await list();
	}
	expect(tasks.flatMap(({ state, problem }) => (state === "done" ? [] : [problem]))).toEqual([]);
	const branches = fleet.git("for-each-ref", "--format=%(refname:short)", "refs/heads/tau").split("\n");
	expect(branches.toSorted()).toEqual(tasks.map(({ result }) => result?.branch ?? "").toSorted());
	expect(fleet.git("for-each-ref", "refs/tau")).toBe("");
	fleet.git("fsck", "--strict");
	for (const id of ids) {
		const { out } = await fleet.run(["task", "logs", id, "--json"]);
		const entries = out
			.trim()
			.split("\n")
			.map((line): { id: string; type: string } => JSON.parse(line));
		expect(new Set(entries.map((entry) => entry.id)).size).toBe(entries.length);
		expect(out).toContain("Made it.");
	}
	for (const { process } of workers) process.kill("SIGTERM");
	for (const { finished } of workers) await finished;
	expect(fleet.leftovers()).toEqual([]);
}, 2_700_000);

test("a task is joined from another machine through its room", async () => {
	await using relay = await startRelay({ bind: "127.0.0.1:0" });
	const env = { TAU_FLEET_URL: redis?.url ?? "" };
	const command = "until test -e go; do sleep 0.05; done; rm go";
	const steps = [
		{ answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] } },
		"Seen by both.",
	];
	await using fleet = await launchFleet({ steps }, env);
	writeFileSync(
		join(fleet.agentDir, "config.yml"),
		`collab:\n  relayUrl: ${relay.url.replace("http", "ws")}\n`,
	);
	// Another home, which shares nothing with the first but the store and the relay.
	await using other = await launch({ steps: [] });
	const [id = ""] = await fleet.add("wait for me", "--label", "room");
	expect((await other.run(["task", "attach", id], { env })).err).toContain(`Task ${id} is queued`);
	const worker = fleet.worker("--labels", "room");
	await fleet.untilTask(id, ({ progress }) => progress.room !== undefined);
	const guest = other.start(["task", "attach", id], { stdin: "pipe", env });
	await guest.until(({ err }) => err.includes("joined session"));
	const { cwd } = JSON.parse((await fleet.run(["ps", "--json"])).out.trim().split("\n")[0] ?? "{}");
	writeFileSync(join(cwd, "go"), "");
	await guest.until(({ out }) => out.includes("Seen by both."));
	await fleet.untilTask(id, ({ state }) => state === "done");
	guest.process.kill("SIGTERM");
	await guest.finished;
	worker.process.kill("SIGTERM");
	await worker.finished;
}, 180_000);

test("a session gets a key of the gateway with the budget of its task, and the key ends with it", async () => {
	await using fleet = await launchFleet(scenario, { TAU_FLEET_URL: redis?.url ?? "" });
	const gateway = fleet.start(["auth-gateway", "serve", "--bind", "127.0.0.1:0"]);
	await gateway.until(({ err }) => err.includes("the gateway serves"));
	const [address = ""] = /http:\S+?(?=,)/.exec(gateway.output().err) ?? [];
	const token = (await fleet.run(["auth-gateway", "token"])).out.trim();
	const [id = ""] = await fleet.add("make a file", "--budget", "5");
	const env = { TAU_FLEET_URL: redis?.url ?? "", TAU_FLEET_GATEWAY: address, TAU_FLEET_GATEWAY_TOKEN: token };
	const { code, err } = await fleet.run(["worker", "--once"], { env });
	expect({ code, err: err.includes(token) }).toEqual({ code: 0, err: false });
	// Without a remote, the branch is in the store.
	expect(await fleet.show(id)).toMatchObject({
		state: "done",
		result: { branch: `tau/${id}-1`, isBundled: true },
	});
	expect((await fleet.run(["task", "merge", id])).out).toBe(`Merged tau/${id}-1.\n`);
	expect(fleet.git("show", "HEAD:made.txt")).toBe("x");
	const [key] = (await fleet.run(["auth-gateway", "key", "list", "--json"])).out.trim().split("\n");
	const row = JSON.parse(key ?? "{}");
	expect(row).toMatchObject({ name: `task ${id}`, budgetPerDay: 5, budgetPerMonth: 5 });
	expect(row.today.requests).toBe(2);
	expect([typeof row.revokedAt, typeof row.expiresAt]).toEqual(["number", "number"]);
	gateway.process.kill("SIGTERM");
	await gateway.finished;
}, 180_000);

/** Several workers over a real Redis: killed again and again, and Redis too, at any moment; and keys of the gateway for each task. */
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { modelsYml } from "@tau/ai/testing";
import { startRelay } from "@tau/relay";

import { samples } from "../support/depth.ts";
import { needs } from "../support/needs.ts";
import { launch, type Running } from "../support/launch.ts";
import { TestRedis } from "../support/relay/redis.ts";
import { untilEnded } from "../support/processes.ts";
import { launchFleet, type Fleet, type ShownTask } from "./fleet.ts";

const test = needs("redis-server", "git");

let redis: TestRedis | undefined;

beforeAll(async () => {
	if (Bun.which("redis-server") !== null) redis = await TestRedis.start({ isKept: true });
});

afterAll(async () => await redis?.[Symbol.asyncDispose]());

/** Another one in each round of `npm run soak -- fleet`. */
function seedOf(first: number): number {
	return first + Number(process.env.TAU_SOAK_ROUND ?? 0);
}

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

/**
 * Kills workers in the middle of what they do, wherever that is, and now and then what else the fleet stands on, which
 * may add tasks.
 */
async function survive(fleet: Fleet, seed: number, killOther: () => Promise<string[]>): Promise<void> {
	const kills = samples(40, 2);
	const ids = await addTasks(fleet, samples(200, 4));
	const workers: Running[] = [1, 2, 3].map(() => fleet.worker("--slots", "2"));
	const random = randomFrom(seed);
	for (let kill = 0; kill < kills; kill++) {
		const [victim] = workers.splice(Math.floor(random() * workers.length), 1);
		const starts = 1 + Math.floor(random() * samples(4, 1));
		// One that finds nothing to do any more is killed too.
		const isEnough = ({ err }: { err: string }): boolean => err.split("started").length > starts;
		const enough = new AbortController();
		await Promise.race([victim?.until(isEnough), untilOver(fleet, ids.length, enough.signal)]);
		enough.abort();
		victim?.process.kill("SIGKILL");
		await victim?.finished;
		workers.push(fleet.worker("--slots", "2"));
		if (kill % 10 === 1) ids.push(...(await killOther()));
	}
	const tasks = await untilOver(fleet, ids.length);
	expect(tasks.flatMap(({ state, problem }) => (state === "done" ? [] : [problem]))).toEqual([]);
	const branches = fleet.git("for-each-ref", "--format=%(refname:short)", "refs/heads/tau").split("\n");
	expect(branches.toSorted()).toEqual(tasks.map(({ result }) => result?.branch ?? "").toSorted());
	for (const branch of branches) expect(fleet.git("show", `${branch}:made.txt`)).toBe("x");
	expect(fleet.git("for-each-ref", "refs/tau")).toBe("");
	fleet.git("fsck", "--strict");
	for (const id of ids) await expectWhole(fleet, id);
	for (const { process } of workers) process.kill("SIGTERM");
	for (const { finished } of workers) await finished;
	// Of workers that were killed nothing runs on: no session, and none of its commands.
	await fleet.until(() => processesOf(fleet.home, "rpc").length === 0);
}

async function addTasks(fleet: Fleet, count: number): Promise<string[]> {
	const ids = await fleet.add("make a file", "--repo", `file://${fleet.project}`, "--count", String(count));
	expect(ids).toHaveLength(count);
	return ids;
}

/** Gives nothing when it is not to wait any more. */
async function untilOver(fleet: Fleet, count: number, signal?: AbortSignal): Promise<ShownTask[]> {
	const deadline = Date.now() + 120_000 + count * 12_000;
	for (;;) {
		if (signal?.aborted) return [];
		const { out } = await fleet.run(["task", "list", "--json"]);
		const tasks = out
			.split("\n")
			.filter(Boolean)
			.map((line): ShownTask => JSON.parse(line));
		const open = tasks.filter(({ state }) => state !== "done" && state !== "failed");
		if (tasks.length === count && open.length === 0) return tasks;
		if (Date.now() > deadline) throw new Error(`never: ${JSON.stringify(open)}`);
		await Bun.sleep(500);
	}
}

/** Each entry is there once, and the one before it is there too: what one worker wrote, another has continued. */
async function expectWhole(fleet: Fleet, id: string): Promise<void> {
	const { out } = await fleet.run(["task", "logs", id, "--json"]);
	const lines = out.trim().split("\n");
	const [, ...entries] = lines.map((line): { id: string; parentId?: string | null } => JSON.parse(line));
	const known = new Set(entries.map((entry) => entry.id));
	expect(known.size).toBe(entries.length);
	expect(entries.filter(({ parentId }) => parentId != null && !known.has(parentId))).toEqual([]);
	expect(out).toContain("Made it.");
}

/** Short, but 200 tasks keep a machine so busy that a heartbeat may be seconds late: a task fails that loses five workers. */
const lease = { TAU_FLEET_LEASE_MS: String(samples(12_000, 3000)) };

test("each task is done exactly once while workers and Redis are killed", async () => {
	const env = { TAU_FLEET_URL: redis?.url ?? "", ...lease };
	await using fleet = await launchFleet(scenario, env);
	await survive(fleet, seedOf(7), async () => {
		await redis?.kill();
		await redis?.run();
		return [];
	});
	expect(fleet.leftovers()).toEqual([]);
}, 2_700_000);

test("each task is done exactly once while workers and the daemon are killed", async () => {
	await using fleet = await launchFleet(scenario, lease);
	await survive(fleet, seedOf(11), async () => {
		const { pid } = JSON.parse((await fleet.run(["daemon", "status", "--json"])).out);
		process.kill(pid, "SIGKILL");
		await untilEnded(pid);
		// This starts a daemon with a worker; that of the one before works on.
		return await addTasks(fleet, 1);
	});
	// Workers of killed daemons end when there was nothing to do for a minute.
	const orphans = processesOf(fleet.home, "worker");
	for (const pid of orphans) process.kill(pid, "SIGTERM");
	await untilEnded(...orphans);
	expect(fleet.leftovers()).toEqual([]);
}, 2_700_000);

/** Files below a directory that have one of the texts in them. */
function filesWith(directory: string, ...texts: string[]): string[] {
	const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((each) =>
		each.isFile(),
	);
	const paths = files.map(({ parentPath, name }) => join(parentPath, name));
	return paths.filter((path) => texts.some((text) => readFileSync(path).includes(text)));
}

/** The processes of Tau in this home that run the command. */
function processesOf(home: string, command: string): number[] {
	return readdirSync("/proc").flatMap((name) => {
		const read = (file: string): string[] => {
			try {
				return readFileSync(join("/proc", name, file), "utf8").split("\0");
			} catch {
				return [];
			}
		};
		const isOurs = /^\d+$/.test(name) && read("environ").includes(`HOME=${home}`);
		return isOurs && read("cmdline").includes(command) ? [Number(name)] : [];
	});
}

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

test("a session gets a key of the gateway with the budget of its task, which ends with it; no other key is on a worker", async () => {
	const command = `env > made.txt; tr '\\0' ' ' < /proc/$PPID/cmdline >> made.txt`;
	const steps = [
		{ answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] } },
		"Made it.",
	];
	await using fleet = await launchFleet({ steps }, { TAU_FLEET_URL: redis?.url ?? "" });
	const api = "anthropic-messages";
	writeFileSync(
		join(fleet.agentDir, "models.yml"),
		modelsYml(fleet.played, { api, apiKey: "sk-of-the-provider" }),
	);
	// Another machine, which knows the model and neither its address nor its key.
	const home = join(fleet.home, "worker");
	mkdirSync(join(home, ".tau/agent"), { recursive: true });
	const nobody = { anthropicUrl: "http://127.0.0.1:9", openaiUrl: "http://127.0.0.1:9" };
	writeFileSync(join(home, ".tau/agent/models.yml"), modelsYml(nobody, { api }));
	const gateway = fleet.start(["auth-gateway", "serve", "--bind", "127.0.0.1:0"]);
	await gateway.until(({ err }) => err.includes("the gateway serves"));
	const [address = ""] = /http:\S+?(?=,)/.exec(gateway.output().err) ?? [];
	const token = (await fleet.run(["auth-gateway", "token"])).out.trim();
	const [id = ""] = await fleet.add("make a file", "--budget", "5");
	const gatewayEnv = { TAU_FLEET_GATEWAY: address, TAU_FLEET_GATEWAY_TOKEN: token };
	const env = { HOME: home, TAU_FLEET_URL: redis?.url ?? "", SSH_AUTH_SOCK: "/agent", ...gatewayEnv };
	const { code, err } = await fleet.run(["worker", "--once"], { env });
	expect({ code, err: err.includes(token) }).toEqual({ code: 0, err: false });
	// Without a remote, the branch is in the store.
	expect(await fleet.show(id)).toMatchObject({
		state: "done",
		result: { branch: `tau/${id}-1`, isBundled: true },
		// Without a relay there is no room, and no question about one.
		progress: { questions: [] },
	});
	expect((await fleet.run(["task", "merge", id])).out).toBe(`Merged tau/${id}-1.\n`);
	const seen = fleet.git("show", "HEAD:made.txt");
	expect(seen).toContain(`HOME=${home}\n`);
	expect(seen).toContain("--base-url");
	for (const secret of [
		"sk-of-the-provider",
		token,
		"TAU_FLEET",
		"TAU_DETACHED",
		"SSH_AUTH_SOCK",
		"--api-key",
	])
		expect(seen).not.toContain(secret);
	expect(filesWith(home, "sk-of-the-provider", token)).toEqual([]);
	expect(fleet.played.requests.map(({ headers }) => headers["x-api-key"])).toEqual(
		Array.from({ length: 2 }, () => "sk-of-the-provider"),
	);
	const [key] = (await fleet.run(["auth-gateway", "key", "list", "--json"])).out.trim().split("\n");
	const row = JSON.parse(key ?? "{}");
	expect(row).toMatchObject({ name: `task ${id}`, budgetPerDay: 5, budgetPerMonth: 5 });
	expect(row.today.requests).toBe(2);
	expect([typeof row.revokedAt, typeof row.expiresAt]).toEqual(["number", "number"]);
	gateway.process.kill("SIGTERM");
	await gateway.finished;
}, 180_000);

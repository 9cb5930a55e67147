/** What every store of tasks promises, on SQLite and on a real Redis. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setSystemTime } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { TestRedis } from "../../../../test/support/relay/redis.ts";
import { limits } from "../limits.ts";
import type { Task, TaskSpec } from "../task.ts";
import { RedisStore } from "./redis-store.ts";
import { SqliteStore } from "./sqlite-store.ts";
import type { Lease, TaskStore } from "./store.ts";

const leaseMs = 1500;
/** Where leases are waited for to run out. */
const shortMs = 300;

function spec(prompt: string, more: Partial<TaskSpec> = {}): TaskSpec {
	const common = { repo: "/r", ref: "HEAD", commit: "c", policy: "auto", tries: 3 } as const;
	return { prompt, ...common, labels: [], priority: 0, after: [], ...more };
}

const worker = { id: "w", labels: [] };

async function claimed(store: TaskStore, labels: string[] = []): Promise<Lease> {
	const deadline = Date.now() + 60_000;
	for (;;) {
		const lease = await store.claim({ id: "w", labels });
		if (lease) return lease;
		if (Date.now() > deadline) throw new Error("nothing to claim");
		await Bun.sleep(20);
	}
}

async function added(store: TaskStore, ...specs: TaskSpec[]): Promise<Task[]> {
	return await store.add(specs);
}

const base = mkdtempSync(join(tmpdir(), "tau-fleet-stores-"));
let redis: TestRedis | undefined;
let files = 0;

beforeAll(async () => {
	if (Bun.which("redis-server") !== null) redis = await TestRedis.start();
});

afterAll(async () => {
	await redis?.[Symbol.asyncDispose]();
	rmSync(base, { recursive: true, force: true });
});

const engines = {
	sqlite: {
		test: needs("git"),
		async upgrade() {
			using database = new Database(join(base, `${files}.db`));
			database.exec("PRAGMA user_version = 2");
		},
		reopen: async () => new SqliteStore({ path: join(base, `${files}.db`), leaseMs }),
		open: async (lease = leaseMs, perMinute = 0) =>
			new SqliteStore({ path: join(base, `${++files}.db`), leaseMs: lease, perMinute }),
	},
	redis: {
		test: needs("redis-server"),
		upgrade: async () => await redis?.command("SET", "tau:fleet:format", "2"),
		reopen: async () => await RedisStore.open(redis?.url ?? "", { leaseMs }),
		async open(lease = leaseMs, perMinute = 0) {
			await redis?.command("FLUSHALL");
			return await RedisStore.open(redis?.url ?? "", { leaseMs: lease, perMinute });
		},
	},
};

const hour = 3_600_000;

for (const [name, { test, open, reopen, upgrade }] of Object.entries(engines))
	describe(name, () => {
		test("tasks are taken by priority, then in order, each once", async () => {
			await using store = await open();
			await added(store, spec("a"), spec("b", { priority: 5 }), spec("c"));
			const order = [await claimed(store), await claimed(store), await claimed(store)];
			expect(order.map(({ task }) => task.spec.prompt)).toEqual(["b", "a", "c"]);
			expect(await store.claim(worker)).toBeUndefined();
			expect((await store.list()).map(({ state }) => state)).toEqual(["running", "running", "running"]);
		});

		test("a task waits for those that it comes after, for its time, and for a worker with its labels", async () => {
			await using store = await open();
			const [first] = await added(store, spec("first"));
			await added(store, spec("second", { after: [first?.id ?? ""] }), spec("gpu", { labels: ["gpu"] }));
			await store.add([spec("later")], { runAt: Date.now() + 3_600_000 });
			const lease = await claimed(store);
			expect(lease.task.spec.prompt).toBe("first");
			expect(await store.claim(worker)).toBeUndefined();
			expect((await claimed(store, ["gpu", "linux"])).task.spec.prompt).toBe("gpu");
			expect(await store.finish(lease, { kind: "done", result: { summary: "ok" } })).toBe(true);
			expect((await claimed(store)).task.spec.prompt).toBe("second");
			expect(await store.claim({ id: "w", labels: ["gpu"] })).toBeUndefined();
		});

		test("of two workers that both believe to hold a lease, only the later one can write", async () => {
			await using store = await open(shortMs);
			await added(store, spec("a"));
			const old = await claimed(store);
			expect(
				await store.append(old, { after: 0, lines: ["one"], patch: new Uint8Array([1, 2, 0, 255]) }),
			).toBe(true);
			// Nothing is heard of the first: its lease runs out.
			const fresh = await claimed(store);
			expect(fresh.number).toBe(old.number + 1);
			expect(await store.renew(old)).toBeUndefined();
			expect(await store.append(old, { after: 1, lines: ["stale"] })).toBe(false);
			expect(await store.report(old, { cost: 1, questions: [] })).toBe(false);
			expect(await store.finish(old, { kind: "done", result: { summary: "stale" } })).toBe(false);
			expect(await store.append(fresh, { after: 1, lines: ["two"] })).toBe(true);
			expect(await store.finish(fresh, { kind: "done", result: { summary: "fresh" } })).toBe(true);
			expect((await store.log(old.task.id)).map(({ line, lease }) => [line, lease])).toEqual([
				["one", 1],
				["two", 2],
			]);
			expect(await store.patch(old.task.id)).toEqual(new Uint8Array([1, 2, 0, 255]));
			expect(await store.get(old.task.id)).toMatchObject({
				state: "done",
				losses: 1,
				result: { summary: "fresh" },
			});
		});

		test("lines whose response was lost are sent again, and are in the log once; a patch may become empty", async () => {
			await using store = await open();
			await added(store, spec("a"));
			const lease = await claimed(store);
			const { id } = lease.task;
			const patch = new Uint8Array([1]);
			expect(await store.append(lease, { after: 0, lines: ["one", "two"], patch })).toBe(true);
			const rest = { after: 1, lines: ["two", "three"], patch: new Uint8Array() };
			expect(await store.append(lease, rest)).toBe(true);
			expect(await store.append(lease, rest)).toBe(true);
			expect((await store.log(id)).map(({ line }) => line)).toEqual(["one", "two", "three"]);
			expect(await store.patch(id)).toEqual(new Uint8Array());
		});

		test("a worker of an older version takes nothing once a later one uses the store, and is told why", async () => {
			await using store = await open();
			await added(store, spec("a"), spec("b"));
			const lease = await claimed(store);
			await upgrade();
			await expect(store.claim(worker)).rejects.toThrow("from a later Tau: format 2");
			// What it holds is not lost.
			expect(await store.append(lease, { after: 0, lines: ["line"] })).toBe(true);
			await expect(reopen()).rejects.toThrow("Update Tau on this machine");
		});

		test("a clock that jumps while a lease is held gives the task at most to one that fences the other", async () => {
			await using store = await open();
			await added(store, spec("a"));
			const old = await claimed(store);
			for (const skew of [-hour, hour]) {
				setSystemTime(new Date(Date.now() + skew));
				try {
					const other = await store.claim({ id: "skewed", labels: [] });
					// Redis counts leases by its own clock; one machine has one clock, which all of its workers follow.
					expect(other === undefined).toBe(name === "redis" || skew < 0);
					expect(await store.append(other ?? old, { after: 0, lines: ["line"] })).toBe(true);
					expect(await store.append(old, { after: 0, lines: ["old"] })).toBe(other === undefined);
				} finally {
					setSystemTime();
				}
			}
		});

		test("a lease that is renewed is not lost", async () => {
			await using store = await open();
			await added(store, spec("a"));
			let lease: Lease | undefined = await claimed(store);
			for (const until = Date.now() + leaseMs * 1.5; lease && Date.now() < until;) {
				await Bun.sleep(leaseMs / 4);
				lease = await store.renew(lease);
				expect(await store.claim({ id: "other", labels: [] })).toBeUndefined();
			}
			expect(lease?.number).toBe(1);
		});

		test("a failed task is tried again after its wait, and one that is parked when an answer comes", async () => {
			await using store = await open();
			const [task] = await added(store, spec("a"));
			const id = task?.id ?? "";
			await store.finish(await claimed(store), {
				kind: "failed",
				problem: "no model",
				retryAt: Date.now() + 50,
			});
			expect(await store.get(id)).toMatchObject({ state: "queued", failures: 1, problem: "no model" });
			const again = await claimed(store);
			expect(await store.finish(again, { kind: "parked" })).toBe(true);
			expect(await store.claim(worker)).toBeUndefined();
			const answer = { kind: "answer", question: "q", key: "k", text: "yes" } as const;
			await store.send(id, answer);
			const third = await claimed(store);
			expect(third.number).toBe(3);
			expect(await store.receive(third)).toEqual([answer]);
			expect(await store.receive(third)).toEqual([]);
		});

		test("stopping takes a task from its worker; retrying starts it anew", async () => {
			await using store = await open(shortMs);
			const [running, waiting] = await added(store, spec("a"), spec("b"));
			const lease = await claimed(store);
			await store.append(lease, { after: 0, lines: ["line"] });
			expect(await store.stop(running?.id ?? "")).toBe(true);
			expect(await store.stop(waiting?.id ?? "")).toBe(true);
			expect(await store.stop(waiting?.id ?? "")).toBe(false);
			expect(await store.renew(lease)).toBeUndefined();
			expect(await store.finish(lease, { kind: "done", result: { summary: "late" } })).toBe(false);
			expect(await store.claim(worker)).toBeUndefined();
			expect(await store.retry(running?.id ?? "")).toBe(true);
			const anew = await claimed(store);
			expect([anew.task.spec.prompt, anew.number > lease.number]).toEqual(["a", true]);
			expect(await store.log(anew.task.id)).toEqual([]);
			expect(await store.remove(waiting?.id ?? "")).toBe(true);
			expect(await store.remove(anew.task.id)).toBe(false);
			expect((await store.list()).map(({ spec: { prompt } }) => prompt)).toEqual(["a"]);
		});

		test("workers together begin no more tasks in a minute than they may", async () => {
			await using store = await open(leaseMs, 2);
			await added(store, spec("a"), spec("b"), spec("c"));
			for (const prompt of ["a", "b"]) {
				const lease = await claimed(store);
				expect(lease.task.spec.prompt).toBe(prompt);
				await store.finish(lease, { kind: "done", result: { summary: "ok" } });
			}
			expect(await store.claim(worker)).toBeUndefined();
			expect((await store.list(["queued"])).map(({ spec: { prompt } }) => prompt)).toEqual(["c"]);
		});

		test("a task whose workers are lost again and again fails", async () => {
			await using store = await open(shortMs);
			const [task] = await added(store, spec("a"));
			const deadline = Date.now() + 100_000;
			while ((await store.get(task?.id ?? ""))?.state !== "failed" && Date.now() < deadline) {
				await store.claim(worker);
				await Bun.sleep(50);
			}
			expect(await store.get(task?.id ?? "")).toMatchObject({
				state: "failed",
				problem: `Its worker was lost ${limits.losses} times.`,
			});
		});

		test("tasks that ended long ago are forgotten, with what they left", async () => {
			await using store = await open();
			const [old] = await added(store, spec("old"));
			const lease = await claimed(store);
			await store.append(lease, { after: 0, lines: ["line"] });
			await store.finish(lease, { kind: "done", result: { summary: "ok" }, cassette: new Uint8Array([1]) });
			setSystemTime(new Date(Date.now() + limits.keptMs + hour));
			try {
				await added(store, spec("new"));
				await claimed(store);
				expect(await store.claim(worker)).toBeUndefined();
			} finally {
				setSystemTime();
			}
			const id = old?.id ?? "";
			expect((await store.list()).map(({ spec: { prompt } }) => prompt)).toEqual(["new"]);
			expect([await store.log(id), await store.file(id, "cassette")]).toEqual([[], undefined]);
		});

		test("whoever watches notices changes of others", async () => {
			await using store = await open();
			const [task] = await added(store, spec("a"));
			const lease = await claimed(store);
			const seen = new Set<string | undefined>();
			using _ = store.onChange((taskId?: string) => void seen.add(taskId));
			// Redis says which one has changed, once the watch has begun; a file does not.
			const wanted = name === "redis" ? task?.id : undefined;
			for (let cost = 0; !seen.has(wanted); cost++) {
				await store.report(lease, { cost, questions: [] });
				await Bun.sleep(5);
			}
		});
	});

needs("redis-server")(
	"a Redis that was away for longer than its client tries is used again when it is back, and watched",
	async () => {
		await using away = await TestRedis.start({ isKept: true });
		await using store = await RedisStore.open(away.url);
		await added(store, spec("before"));
		await claimed(store);
		let seen = Promise.withResolvers<void>();
		using _watch = store.onChange(() => seen.resolve());
		await away.kill();
		// Commands wait until the client has given up.
		const problem = await store.list().catch((error: unknown) => String(error));
		expect(problem).toContain("ERR_REDIS_CONNECTION_CLOSED");
		await away.run();
		await using other = await RedisStore.open(away.url);
		await added(other, spec("after"));
		// As a worker does: it asks again until the store answers.
		const next = async (): Promise<Lease | undefined> => await store.claim(worker).catch(() => undefined);
		let lease = await next();
		for (; !lease; lease = await next()) await Bun.sleep(50);
		expect(lease.task.spec.prompt).toBe("after");
		seen = Promise.withResolvers();
		await added(other, spec("of another"));
		await seen.promise;
	},
	180_000,
);

import { join } from "node:path";

import { describe, expect, test } from "bun:test";
import { isAlive, nameProcess } from "../process/table.ts";
import type { tasks } from "./fixtures/hostile-worker.ts";
import { limits } from "./limits.ts";
import { WorkerPool } from "./pool.ts";
import { WorkerStopped, type TaskLimits } from "./worker-process.ts";

const megabyte = 1024 * 1024;
const enough: TaskLimits = { ms: 30_000, memoryBytes: 512 * megabyte, answerBytes: megabyte };

function pool(): WorkerPool<typeof tasks> {
	const entry = join(import.meta.dir, "fixtures/hostile-worker.ts");
	return new WorkerPool<typeof tasks>({
		name: "hostile",
		entry,
		load: () => Promise.reject(new Error("not in this process")),
	});
}

async function stopped(work: Promise<unknown>): Promise<WorkerStopped> {
	const error = await work.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (!(error instanceof WorkerStopped)) throw new Error(`It was not stopped: ${String(error)}`);
	return error;
}

async function waitFor(condition: () => boolean): Promise<void> {
	const end = Date.now() + 20_000;
	while (!condition()) {
		if (Date.now() > end) throw new Error("The condition never held.");
		await Bun.sleep(5);
	}
}

describe("a task in a worker process", () => {
	test("accepts and returns values, including bytes", async () => {
		const value = { bytes: new Uint8Array(300_000).fill(7), list: [1, "two", undefined], text: "ü\0" };
		expect(await pool().run("echo", [value], { limits: enough })).toEqual(value);
	});

	test("may answer with much more than a pipe holds", async () => {
		const answer = await pool().run("flood", [20 * megabyte], {
			limits: { ...enough, answerBytes: 30 * megabyte },
		});
		expect(answer.length).toBe(20 * megabyte);
	});

	test("reuses a warm process for the next task", async () => {
		const workers = pool();
		const first = await workers.run("pid", [], { limits: enough });
		expect(await workers.run("pid", [], { limits: enough })).toBe(first);
		expect(isAlive(nameProcess(first))).toBe(true);
	});

	test("has nothing of the environment but paths", async () => {
		process.env.TAU_TEST_SECRET = "secret";
		const environment = await pool().run("environment", [], { limits: enough });
		delete process.env.TAU_TEST_SECRET;
		expect(environment).not.toHaveProperty("TAU_TEST_SECRET");
		expect(environment).not.toHaveProperty("PATH");
	});

	test("may print without breaking its answer", async () => {
		expect(await pool().run("print", [], { limits: enough })).toBe("answered");
	});

	test("fails with its own message", async () => {
		await expect(pool().run("fail", [], { limits: enough })).rejects.toThrow("not today");
	});

	test("waits while others work, and may stop waiting", async () => {
		const workers = pool();
		const stop = new AbortController();
		const endless = Array.from({ length: limits.processes }, () =>
			workers.run("spin", [], { limits: enough, signal: stop.signal }).catch(() => "ended"),
		);
		const waiting = workers.run("echo", [1], { limits: enough });
		const impatient = new AbortController();
		const givingUp = workers.run("echo", [2], { limits: enough, signal: impatient.signal });
		impatient.abort(new Error("no patience"));
		await expect(givingUp).rejects.toThrow("no patience");
		stop.abort();
		expect(await Promise.all(endless)).toEqual(endless.map(() => "ended"));
		expect(await waiting).toBe(1);
	});
});

describe("a task is stopped, and its limit is named,", () => {
	test("when it takes too long", async () => {
		const reason = await stopped(pool().run("spin", [], { limits: { ...enough, ms: 300 } }));
		expect(reason).toMatchObject({ limit: "time", message: "it took longer than 0.3 s" });
	});

	test("when it needs too much memory", async () => {
		const reason = await stopped(
			pool().run("allocate", [], { limits: { ...enough, memoryBytes: 200 * megabyte } }),
		);
		expect(reason).toMatchObject({ limit: "memory", message: "it needed more than 200 MB of memory" });
	});

	test("when its answer is too long, before it is collected", async () => {
		const before = process.memoryUsage().rss;
		const reason = await stopped(pool().run("flood", [200 * megabyte], { limits: enough }));
		expect(reason).toMatchObject({ limit: "answer", message: "its result has more than 1 MB" });
		expect(process.memoryUsage().rss - before).toBeLessThan(100 * megabyte);
	});

	test("when it crashes; the next task gets another process", async () => {
		const workers = pool();
		const reason = await stopped(workers.run("crash", [], { limits: enough }));
		expect(reason).toMatchObject({ limit: "crash", message: "it crashed (exit code 7)" });
		expect(await workers.run("echo", [3], { limits: enough })).toBe(3);
	});
});

test("an abort ends a task that never pauses, and its process, while this one continues", async () => {
	const workers = pool();
	const pid = await workers.run("pid", [], { limits: enough });
	const child = nameProcess(pid);
	const stop = new AbortController();
	const running = workers.run("spin", [], { limits: enough, signal: stop.signal });
	let turns = 0;
	const count = setInterval(() => turns++, 1);
	await waitFor(() => turns > 50);
	clearInterval(count);
	expect(isAlive(child)).toBe(true);
	stop.abort(new Error("Escape"));
	await expect(running).rejects.toThrow("Escape");
	expect(isAlive(child)).toBe(false);
});

test("a program with an idle worker ends by itself, and the worker with it", async () => {
	const script = `
		const { WorkerPool } = await import(${JSON.stringify(join(import.meta.dir, "pool.ts"))});
		const entry = ${JSON.stringify(join(import.meta.dir, "fixtures/hostile-worker.ts"))};
		const pool = new WorkerPool({ name: "x", entry, load: undefined });
		const limits = ${JSON.stringify(enough)};
		process.stdout.write(String(await pool.run("pid", [], { limits })));`;
	await using program = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
	const pid = Number(await program.stdout.text());
	expect(await program.exited).toBe(0);
	await waitFor(() => !isAlive(nameProcess(pid)) || nameProcess(pid).started === 0);
});

test("a worker that never pauses ends when its parent is killed", async () => {
	const script = `
		const { WorkerPool } = await import(${JSON.stringify(join(import.meta.dir, "pool.ts"))});
		const entry = ${JSON.stringify(join(import.meta.dir, "fixtures/hostile-worker.ts"))};
		const pool = new WorkerPool({ name: "x", entry, load: undefined });
		const limits = ${JSON.stringify({ ...enough, ms: 1000 })};
		process.stdout.write(String(await pool.run("pid", [], { limits })));
		await pool.run("spin", [], { limits: { ...limits, ms: 3000 } });`;
	await using program = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
	const { value } = await program.stdout.getReader().read();
	const child = nameProcess(Number(new TextDecoder().decode(value)));
	program.kill("SIGKILL");
	await program.exited;
	await waitFor(() => !isAlive(child));
});

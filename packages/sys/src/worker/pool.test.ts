import { readdirSync } from "node:fs";
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
	const end = Date.now() + 60_000;
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
		const reason = await stopped(pool().run("flood", [64 * megabyte], { limits: enough }));
		expect(reason).toMatchObject({ limit: "answer", message: "its result has more than 1 MB" });
		expect(process.memoryUsage().rss - before).toBeLessThan(50 * megabyte);
	});

	test("when it crashes; the next task gets another process", async () => {
		const workers = pool();
		const reason = await stopped(workers.run("crash", [], { limits: enough }));
		expect(reason).toMatchObject({ limit: "crash", message: "it crashed (exit code 7)" });
		expect(await workers.run("echo", [3], { limits: enough })).toBe(3);
	});
});

describe("a process whose output is not an answer is ended, and the next task gets another one", () => {
	const unreadable = { limit: "crash", message: "its result could not be read" };
	test.each([
		["text that native code prints", "printRaw", ["a warning of a library\n"]],
		["a frame that is longer than announced", "lie", [10, 2000]],
		["a frame whose content makes no sense", "lie", [64, 64]],
		["an answer to another request", "answerTwice", [77]],
	] as const)("%s", async (_, task, args) => {
		const workers = pool();
		// The types know no task whose arguments depend on a table.
		const run = workers.run.bind(workers) as (
			name: string,
			args: unknown[],
			options: object,
		) => Promise<unknown>;
		expect(await stopped(run(task, [...args], { limits: enough }))).toMatchObject(unreadable);
		expect(await workers.run("echo", [4], { limits: enough })).toBe(4);
	});

	test("a frame that announces more than follows: the time limit ends it", async () => {
		const workers = pool();
		const reason = await stopped(workers.run("lie", [megabyte, 10], { limits: { ...enough, ms: 1000 } }));
		expect(reason.limit).toBe("time");
		expect(await workers.run("echo", [5], { limits: enough })).toBe(5);
	});

	test("an answer that came too early is never taken for that of the next task", async () => {
		const workers = pool();
		// The first of the two answers is accepted or refused, depending on how the pipe delivers them.
		await workers.run("answerTwice", [1], { limits: enough }).catch(() => undefined);
		for (let turn = 0; turn < 5; turn++) {
			await workers.run("answerTwice", [turn + 2], { limits: enough }).catch(() => undefined);
			expect(await workers.run("echo", [turn], { limits: enough })).toBe(turn);
		}
	});
});

test("an idle process that the system ends costs the next task nothing, however much is sent to it", async () => {
	const workers = pool();
	for (const bytes of [1, 1, 4 * megabyte, 4 * megabyte]) {
		process.kill(await workers.run("pid", [], { limits: enough }), "SIGKILL");
		const limit = { ...enough, answerBytes: 8 * megabyte };
		const answer = await workers.run("echo", [new Uint8Array(bytes)], { limits: limit });
		expect(answer).toHaveLength(bytes);
	}
});

test("a process that is stopped (SIGSTOP) in the middle ends with the time limit, or with an abort", async () => {
	const workers = pool();
	const frozen = async (ms: number, stop?: AbortController): Promise<unknown> => {
		const pid = await workers.run("pid", [], { limits: enough });
		const running = workers.run("spin", [], { limits: { ...enough, ms }, signal: stop?.signal });
		process.kill(pid, "SIGSTOP");
		// By then the task has been sent.
		let turns = 0;
		if (stop) await waitFor(() => ++turns > 20);
		stop?.abort(new Error("Escape"));
		const reason = await running.catch((error: unknown) => error);
		await waitFor(() => nameProcess(pid).started === 0 || !isAlive(nameProcess(pid)));
		return reason;
	};
	expect(await frozen(500)).toMatchObject({ limit: "time" });
	expect(await frozen(60_000, new AbortController())).toMatchObject({ message: "Escape" });
});

test("a storm of aborts and a thousand small tasks leave no process and no open file behind", async () => {
	const files = (): number => readdirSync("/proc/self/fd").length;
	const workers = pool();
	const pids = new Set([await workers.run("pid", [], { limits: enough })]);
	// With the pipes of the process that is kept for the next task.
	const before = files();
	const storm = Array.from({ length: 100 }, async (_, index) => {
		const stop = new AbortController();
		const running = workers.run(index % 3 ? "spin" : "pid", [], { limits: enough, signal: stop.signal });
		setTimeout(() => stop.abort(), index * 5);
		await running.then((pid) => pids.add(pid)).catch(() => undefined);
	});
	await Promise.all(storm);
	for (let turn = 0; turn < 1000; turn++) pids.add(await workers.run("pid", [], { limits: enough }));
	await waitFor(() => files() <= before);
	const last = await workers.run("pid", [], { limits: enough });
	expect([...pids].filter((pid) => pid !== last && nameProcess(pid).started !== 0)).toEqual([]);
});

test("when no process can be started, the error says so, and later tasks work", async () => {
	const script = `
		const { openSync, closeSync } = await import("node:fs");
		const { WorkerPool } = await import(${JSON.stringify(join(import.meta.dir, "pool.ts"))});
		const entry = ${JSON.stringify(join(import.meta.dir, "fixtures/hostile-worker.ts"))};
		const pool = new WorkerPool({ name: "x", entry, load: undefined });
		const limits = ${JSON.stringify(enough)};
		await pool.run("fail", [], { limits }).catch(() => {});
		const held = [];
		try { for (;;) held.push(openSync("/dev/null")); } catch {}
		const crash = await pool.run("crash", [], { limits }).catch((error) => error);
		const full = await pool.run("echo", [1], { limits }).catch((error) => error);
		for (const fd of held) closeSync(fd);
		process.stdout.write(JSON.stringify([crash.limit, full.limit, full.message, await pool.run("echo", [2], { limits })]));`;
	const command = ["sh", "-c", 'ulimit -n 64; exec "$0" -e "$1"', process.execPath, script];
	await using program = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" });
	const [, limit, message, later] = JSON.parse(await program.stdout.text());
	expect({ limit, later }).toEqual({ limit: "start", later: 2 });
	expect(message).toStartWith("no process could be started for it");
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

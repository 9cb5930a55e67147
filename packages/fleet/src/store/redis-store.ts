/** Tasks of several machines, on Redis or Valkey: BullMQ has the queues and the leases, a hash for each task the rest. */
import type { Job } from "bullmq";
import type { RedisClient } from "bun";

import { abortable, log, onDispose, shortId, uuidv7, withTimeout } from "@tau/utils";

import { limits } from "../limits.ts";
import {
	isOver,
	type LogLine,
	type Progress,
	type Task,
	type TaskMessage,
	type TaskSpec,
	type TaskState,
} from "../task.ts";
import { LastingClient } from "./lasting-client.ts";
import { keys, scripts, toTasks } from "./redis-scripts.ts";
import {
	checkFormat,
	storeFormat,
	type AddOptions,
	type Ending,
	type Lease,
	type LogPart,
	type ResultFiles,
	type TaskStore,
	type WorkerFacts,
} from "./store.ts";
import { taskOf, TaskQueues } from "./task-queues.ts";

const noProgress: Progress = { cost: 0, questions: [] };

/** A lease with BullMQ's lock of its job. */
interface Held {
	readonly job: Job;
	readonly token: string;
}

export interface RedisOptions {
	readonly leaseMs?: number | undefined;
	/** Of each set of labels, over all workers; 0 for any number. */
	readonly perMinute?: number | undefined;
}

export class RedisStore implements TaskStore {
	readonly #connection: LastingClient;
	readonly #client: RedisClient;
	readonly #url: string;
	readonly #queues: TaskQueues;
	/** Of this process, by task. */
	readonly #held = new Map<string, Held>();
	readonly #listeners = new Set<(taskId?: string) => void>();
	#subscriber: LastingClient | undefined;
	#poll: Timer | undefined;
	#checkedAt = 0;
	readonly leaseMs: number;

	private constructor(
		url: string,
		connection: LastingClient,
		{ leaseMs = limits.leaseMs, perMinute = 0 }: RedisOptions,
	) {
		this.#url = url;
		this.#connection = connection;
		this.#client = connection.redis;
		this.leaseMs = leaseMs;
		this.#queues = new TaskQueues(url, this.#client, { leaseMs, perMinute });
	}

	/** Rejects if nothing answers there, or a later Tau uses it. */
	static async open(url: string, options: RedisOptions = {}): Promise<RedisStore> {
		using owned = new DisposableStack();
		const connection = owned.use(new LastingClient(url));
		// Written only where it is missing: a Redis without memory can still be read.
		const format = async (): Promise<number> => {
			const known = await connection.redis.get(keys.format);
			if (known !== null) return Number(known);
			await connection.redis.send("SET", [keys.format, String(storeFormat), "NX"]);
			return Number(await connection.redis.get(keys.format));
		};
		using late = withTimeout(undefined, limits.openMs, `no answer within ${limits.openMs / 1000} s`);
		checkFormat(await abortable(format(), late.signal));
		owned.move();
		return new RedisStore(url, connection, options);
	}

	async add(specs: readonly TaskSpec[], { runAt, bundle }: AddOptions = {}): Promise<Task[]> {
		const now = Date.now();
		const tasks = await Promise.all(
			specs.map(async (spec): Promise<Task> => {
				const task: Task = {
					id: shortId(),
					spec,
					state: "queued",
					lease: 0,
					failures: 0,
					losses: 0,
					runAt: runAt ?? now,
					createdAt: now,
					progress: noProgress,
				};
				const { id } = task;
				if (bundle) await this.#client.send("HSET", [keys.blobs(id), "in", base64(bundle)]);
				for (const needed of spec.after) await this.#client.sadd(keys.waiting(needed), id);
				const { state, lease, failures, losses, createdAt } = task;
				const numbers = { lease, failures, losses, createdAt, runAt: task.runAt };
				const texts = { id, state, spec: JSON.stringify(spec), progress: JSON.stringify(noProgress) };
				const fields = Object.entries({ ...numbers, ...texts }).flat();
				await this.#run("add", [keys.task(id), keys.count], ...fields);
				return task;
			}),
		);
		await this.#queues.add(await this.#ready(tasks));
		return tasks;
	}

	async list(states?: readonly TaskState[]): Promise<Task[]> {
		const tasks = toTasks((await this.#client.send("HVALS", [keys.rows])) as string[]);
		return states ? tasks.filter(({ state }) => states.includes(state)) : tasks;
	}

	async get(id: string): Promise<Task | undefined> {
		const row = await this.#client.hget(keys.rows, id);
		return row === null ? undefined : toTasks([row])[0];
	}

	async claim({ id: worker, labels }: WorkerFacts): Promise<Lease | undefined> {
		checkFormat(Number(await this.#client.get(keys.format)));
		for (;;) {
			const since = performance.now();
			const token = uuidv7();
			const job = await this.#queues.next(labels, token);
			if (!job) return (await this.#missing()) ? await this.claim({ id: worker, labels }) : undefined;
			const id = taskOf(job);
			const number = Number(await this.#run("claim", [keys.task(id)], worker, Date.now(), limits.losses));
			const task = number > 0 ? await this.get(id) : undefined;
			if (task) {
				this.#held.set(id, { job, token });
				return { task, number, since };
			}
			// It is over, or waits for an answer.
			await this.#letGo({ job, token }, (held) => held.job.moveToCompleted("", held.token, false));
		}
	}

	async renew(lease: Lease): Promise<Lease | undefined> {
		const since = performance.now();
		const held = this.#held.get(lease.task.id);
		if (!held || Number(await this.#run("isHeld", [keys.task(lease.task.id)], lease.number)) === 0)
			return undefined;
		try {
			await held.job.extendLock(held.token, this.leaseMs);
			return { ...lease, since };
		} catch (error) {
			if (/lock/i.test(String(error))) return undefined;
			throw error;
		}
	}

	async append({ task: { id }, number }: Lease, { after, lines, patch }: LogPart): Promise<boolean> {
		const stored = lines.map((line) => JSON.stringify([number, line]));
		// With a letter before it, because the patch of a tree without changes is empty.
		const content = patch === undefined ? "" : `p${base64(patch)}`;
		const keyNames = [keys.task(id), keys.log(id), keys.blobs(id)];
		return await this.#did("append", keyNames, number, after, content, ...stored);
	}

	async report(lease: Lease, progress: Progress): Promise<boolean> {
		return await this.#set(lease, { progress: JSON.stringify(progress) });
	}

	/** Writes the task first: if the queue is updated too late, the next worker notices. */
	async finish(lease: Lease, ending: Ending): Promise<boolean> {
		const { id } = lease.task;
		const held = this.#held.get(id);
		const now = Date.now();
		const retryAt = ending.kind === "failed" ? ending.retryAt : ending.kind === "released" ? now : undefined;
		const isStored =
			ending.kind === "done"
				? await this.#set(
						lease,
						{ state: "done", endedAt: now, result: JSON.stringify(ending.result) },
						ending,
					)
				: ending.kind === "parked"
					? await this.#set(lease, { state: "parked" })
					: retryAt === undefined
						? await this.#set(lease, { state: "failed", endedAt: now, ...problemOf(ending) })
						: await this.#set(lease, { state: "queued", runAt: retryAt, ...problemOf(ending) }, ending);
		this.#held.delete(id);
		if (!isStored || !held) return isStored;
		await this.#letGo(held, async ({ job, token }) => {
			if (retryAt === undefined) await job.moveToCompleted("", token, false);
			else await job.moveToDelayed(Math.max(retryAt, Date.now() + 1), token);
		});
		if (ending.kind === "done") await this.#queues.add(await this.#unblockedBy(id));
		return true;
	}

	async receive({ task: { id }, number }: Lease): Promise<TaskMessage[]> {
		const messages = (await this.#run("receive", [keys.task(id), keys.inbox(id)], number)) as string[];
		return messages.map((message) => JSON.parse(message) as TaskMessage);
	}

	async send(id: string, message: TaskMessage): Promise<void> {
		const keyNames = [keys.task(id), keys.inbox(id)];
		const task = (await this.#did("send", keyNames, JSON.stringify(message), Date.now()))
			? await this.get(id)
			: undefined;
		if (task) await this.#queues.add([task]);
	}

	async log(id: string, from = 0): Promise<LogLine[]> {
		const rows = (await this.#client.send("LRANGE", [keys.log(id), String(from), "-1"])) as string[];
		return rows.map((row, at) => {
			const [lease, line] = JSON.parse(row) as [number, string];
			return { seq: from + at + 1, lease, line };
		});
	}

	async patch(id: string): Promise<Uint8Array | undefined> {
		return await this.#blob(id, "patch");
	}

	async file(id: string, which: "in" | keyof ResultFiles): Promise<Uint8Array | undefined> {
		return await this.#blob(id, which);
	}

	async stop(id: string): Promise<boolean> {
		const task = await this.get(id);
		const isStopped = await this.#did("stop", [keys.task(id)], Date.now());
		if (isStopped && task) await this.#queues.remove(task);
		return isStopped;
	}

	async retry(id: string): Promise<boolean> {
		const keyNames = [keys.task(id), keys.log(id), keys.inbox(id), keys.blobs(id)];
		const progress = { ...noProgress, retriedAfter: (await this.get(id))?.lease ?? 0 };
		const isQueued = await this.#did("retry", keyNames, Date.now(), JSON.stringify(progress));
		const task = isQueued ? await this.get(id) : undefined;
		if (task) await this.#queues.add(await this.#ready([task]));
		return isQueued;
	}

	async remove(id: string): Promise<boolean> {
		const { task, rows, log: lines, inbox, blobs, waiting } = keys;
		return await this.#did("remove", [task(id), rows, lines(id), inbox(id), blobs(id), waiting(id)], id);
	}

	onChange(listener: (taskId?: string) => void): Disposable {
		this.#listeners.add(listener);
		if (this.#listeners.size === 1) this.#listen();
		return onDispose(() => {
			this.#listeners.delete(listener);
			if (this.#listeners.size === 0) this.#unlisten();
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#unlisten();
		await this.#queues[Symbol.asyncDispose]();
		this.#connection[Symbol.dispose]();
	}

	#listen(): void {
		const emit = (taskId?: string): void => {
			for (const listener of this.#listeners) listener(taskId);
		};
		// Messages are lost while the connection is.
		this.#poll = setInterval(() => emit(), limits.pollMs);
		this.#subscriber = new LastingClient(this.#url);
		this.#subscriber.subscribe(keys.changed, emit);
	}

	#unlisten(): void {
		clearInterval(this.#poll);
		this.#subscriber?.[Symbol.dispose]();
		this.#subscriber = undefined;
	}

	/** Puts tasks into their queues that should be there, once per lease: who should have done it may have been killed. */
	async #missing(): Promise<boolean> {
		if (performance.now() - this.#checkedAt < this.leaseMs && this.#checkedAt > 0) return false;
		this.#checkedAt = performance.now();
		const all = await this.list();
		await this.#forgetOld(all);
		const ready = await this.#ready(all.filter(({ state }) => state === "queued" || state === "running"));
		await this.#queues.add(ready);
		return ready.some(({ state }) => state === "queued");
	}

	async #forgetOld(tasks: readonly Task[]): Promise<void> {
		const oldest = Date.now() - limits.keptMs;
		for (const task of tasks)
			if (isOver(task) && (task.endedAt ?? oldest) < oldest) await this.remove(task.id);
	}

	/** Those that wait for no other task. */
	async #ready(tasks: readonly Task[]): Promise<Task[]> {
		const isReady = await Promise.all(
			tasks.map(async ({ spec: { after } }) => {
				const states = await Promise.all(after.map((id) => this.#client.hget(keys.task(id), "state")));
				return states.every((state) => state === "done" || state === null);
			}),
		);
		return tasks.filter((_, at) => isReady[at]);
	}

	async #unblockedBy(id: string): Promise<Task[]> {
		const ids = await this.#client.smembers(keys.waiting(id));
		const tasks = await Promise.all(ids.map((each) => this.get(each)));
		return await this.#ready(tasks.filter((task) => task?.state === "queued") as Task[]);
	}

	async #set(lease: Lease, fields: Record<string, string | number>, ending?: Ending): Promise<boolean> {
		const { id } = lease.task;
		const { out, cassette }: ResultFiles = ending?.kind === "done" ? ending : {};
		const files = [out, cassette].map((content) => (content ? base64(content) : ""));
		const failures = ending?.kind === "failed" ? 1 : 0;
		const keyNames = [keys.task(id), keys.blobs(id)];
		return await this.#did(
			"set",
			keyNames,
			lease.number,
			...files,
			failures,
			...Object.entries(fields).flat(),
		);
	}

	/** The lock may be gone: then the job is taken again, and found to be what the task says. */
	async #letGo(held: Held, work: (held: Held) => Promise<unknown>): Promise<void> {
		try {
			await work(held);
		} catch (error) {
			log.debug("a task stays in its queue", { id: taskOf(held.job), reason: String(error) });
		}
	}

	async #blob(id: string, kind: string): Promise<Uint8Array | undefined> {
		const content = await this.#client.hget(keys.blobs(id), kind);
		return content === null ? undefined : Uint8Array.fromBase64(content);
	}

	async #did(
		name: keyof typeof scripts,
		keyNames: readonly string[],
		...args: (string | number)[]
	): Promise<boolean> {
		return Number(await this.#run(name, keyNames, ...args)) === 1;
	}

	async #run(
		name: keyof typeof scripts,
		keyNames: readonly string[],
		...args: (string | number)[]
	): Promise<unknown> {
		return await this.#client.send("EVAL", [
			scripts[name],
			String(keyNames.length),
			...keyNames,
			...args.map(String),
		]);
	}
}

function problemOf(ending: Ending): { problem?: string } {
	return ending.kind === "failed" ? { problem: ending.problem } : {};
}

function base64(bytes: Uint8Array): string {
	return bytes.toBase64();
}

/** The queues of BullMQ, one for each set of labels: what is next, who holds it for how long, and what has stalled. */
import { createBunRedisClient, Queue, Worker, type Job } from "bullmq";
import { RedisClient } from "bun";

import { log } from "@tau/utils";

import { limits } from "../limits.ts";
import type { Task } from "../task.ts";
import { keys, prefix } from "./redis-scripts.ts";

/** BullMQ takes the lowest number first, from 1 on. */
const highestPriority = 1001;

type Connection = ReturnType<typeof createBunRedisClient>;

export class TaskQueues implements AsyncDisposable {
	readonly #url: string;
	readonly #client: RedisClient;
	readonly #leaseMs: number;
	readonly #perMinute: number;
	readonly #queues = new Map<string, Queue>();
	readonly #workers = new Map<string, Worker>();
	readonly #connections: Connection[] = [];

	constructor(
		url: string,
		client: RedisClient,
		{ leaseMs, perMinute }: { leaseMs: number; perMinute: number },
	) {
		this.#url = url;
		this.#client = client;
		this.#leaseMs = leaseMs;
		this.#perMinute = perMinute;
	}

	/** Adding a task that is there already changes nothing. */
	async add(tasks: readonly Task[]): Promise<void> {
		const byQueue = Map.groupBy(tasks, ({ spec }) => queueName(spec.labels));
		for (const [name, some] of byQueue) {
			await this.#client.sadd(keys.queues, name);
			const now = Date.now();
			await this.#queue(name).addBulk(
				some.map(({ id, runAt, spec: { priority } }) => ({
					name: "task",
					data: {},
					opts: {
						jobId: jobOf(id),
						delay: Math.max(0, runAt - now),
						priority: highestPriority - priority,
						removeOnComplete: true,
						removeOnFail: true,
					},
				})),
			);
		}
	}

	/** The next task for a worker with these labels, with what it is locked by. */
	async next(labels: readonly string[], token: string): Promise<Job | undefined> {
		const names = await this.#client.smembers(keys.queues);
		for (const name of names.toSorted()) {
			if (!labelsOf(name).every((label) => labels.includes(label))) continue;
			const worker = await this.#worker(name);
			const job: Job | undefined = await worker.getNextJob(token, { block: false });
			if (job) return job;
		}
		return undefined;
	}

	/** A task that no worker has. */
	async remove({ id, spec: { labels } }: Task): Promise<void> {
		const job = await this.#queue(queueName(labels)).getJob(jobOf(id));
		// One that is locked is found to be over by the worker that gets it next.
		await job
			?.remove()
			.catch((error: unknown) => log.debug("a task stays in its queue", { id, reason: String(error) }));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all([...this.#workers.values()].map((worker) => worker.close(true)));
		await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
		for (const connection of this.#connections) connection.disconnect();
	}

	#queue(name: string): Queue {
		const known = this.#queues.get(name);
		if (known) return known;
		const queue = new Queue(name, { connection: this.#connect(), prefix });
		queue.on("error", report);
		this.#queues.set(name, queue);
		return queue;
	}

	/** It has no processor: tasks are taken one by one, and looked after here. */
	async #worker(name: string): Promise<Worker> {
		const known = this.#workers.get(name);
		if (known) return known;
		const worker = new Worker(name, null, {
			connection: this.#connect(),
			prefix,
			autorun: false,
			lockDuration: this.#leaseMs,
			stalledInterval: this.#leaseMs / 2,
			// Lost workers are counted with the task.
			maxStalledCount: Number.MAX_SAFE_INTEGER,
			...(this.#perMinute > 0 ? { limiter: { max: this.#perMinute, duration: limits.rateMs } } : {}),
		});
		worker.on("error", report);
		this.#workers.set(name, worker);
		await worker.startStalledCheckTimer();
		return worker;
	}

	/** It connects again by itself. */
	#connect(): Connection {
		const connection = createBunRedisClient(new RedisClient(this.#url, { autoReconnect: false }));
		connection.on("error", report);
		this.#connections.push(connection);
		return connection;
	}
}

function report(error: Error): void {
	log.debug("the queue of tasks reports a problem", { reason: error.message });
}

/** BullMQ keeps ids that are numbers for itself. */
function jobOf(taskId: string): string {
	return `t${taskId}`;
}

export function taskOf({ id = "" }: Job): string {
	return id.slice(1);
}

function queueName(labels: readonly string[]): string {
	return ["tasks", ...labels.toSorted()].join("+");
}

function labelsOf(name: string): string[] {
	return name.split("+").slice(1);
}

/** A worker: takes tasks from the store as long as it has free slots, and hands back what it cannot end. */
import { hostname } from "node:os";
import { join } from "node:path";

import { delay, errorText, log, shortId, UsageError, type Env } from "@tau/utils";

import { packMirrors, trimMirrors } from "../git/mirror.ts";
import { limits } from "../limits.ts";
import type { TaskStore } from "../store/store.ts";
import { HeldLease } from "./held-lease.ts";
import { TaskRun, type RunParts } from "./run-task.ts";
import type { StartSession } from "./session.ts";
import { WorkDirectories } from "./work-directories.ts";

export interface WorkerOptions {
	readonly store: TaskStore;
	readonly start: StartSession;
	/** Where it keeps clones and trees. */
	readonly directory: string;
	readonly slots: number;
	readonly labels: readonly string[];
	readonly env: Env;
	readonly parkMs: number;
	/** How long tasks may go on after it was told to end. */
	readonly drainMs: number;
	readonly keysFor: RunParts["keysFor"];
	readonly hasRooms: boolean;
	/** Ends when there was nothing to do for this long. */
	readonly idleMs?: number | undefined;
	/** Ends after one task, or when there is none. */
	readonly isOnce: boolean;
	/** For users: what it does. */
	onLine(line: string): void;
}

/**
 * Resolves when it was told to end, or had nothing to do, and nothing of it is left. Rejects with a `UsageError` if it
 * is too old for the store; its tasks have ended, or were handed over.
 */
export async function runWorker(options: WorkerOptions, signal: AbortSignal): Promise<void> {
	const id = `${hostname()}-${process.pid}-${shortId()}`;
	const mirrors = join(options.directory, "repos");
	trimMirrors(mirrors);
	using directories = WorkDirectories.open(join(options.directory, "work"), id);
	const { store, start, env, keysFor, hasRooms, parkMs } = options;
	const worker = new Worker(options, id, {
		store,
		start,
		env,
		keysFor,
		hasRooms,
		parkMs,
		mirrors,
		directories,
	});
	const ended = new AbortController();
	// Beside the first tasks, which do not wait for it.
	const packing = packMirrors(mirrors, { env, signal: AbortSignal.any([signal, ended.signal]) }).catch(
		(error: unknown) => log.info("the clones of a worker were not packed", { reason: errorText(error) }),
	);
	try {
		await worker.work(signal);
	} finally {
		ended.abort();
		await packing;
	}
}

class Worker {
	readonly #options: WorkerOptions;
	readonly #id: string;
	readonly #parts: RunParts;
	readonly #runs = new Set<TaskRun>();
	#wake = Promise.withResolvers<void>();

	constructor(options: WorkerOptions, id: string, parts: RunParts) {
		this.#options = options;
		this.#id = id;
		this.#parts = parts;
	}

	async work(signal: AbortSignal): Promise<void> {
		const { store } = this.#options;
		using _changes = store.onChange((taskId) => this.#onChange(taskId));
		const wake = (): void => this.#wake.resolve();
		signal.addEventListener("abort", wake);
		try {
			await this.#untilIdle(signal);
		} finally {
			signal.removeEventListener("abort", wake);
			await this.#drain();
		}
	}

	async #untilIdle(signal: AbortSignal): Promise<void> {
		const { idleMs = Number.POSITIVE_INFINITY } = this.#options;
		let busyAt = performance.now();
		while (!signal.aborted && performance.now() - busyAt < idleMs) {
			this.#wake = Promise.withResolvers();
			const lookedAt = performance.now();
			await this.#fill(signal);
			if (this.#options.isOnce) {
				await this.#untilDone(signal);
				break;
			}
			if (this.#runs.size > 0) busyAt = performance.now();
			await Promise.race([this.#wake.promise, delay(limits.pollMs)]);
			// Others change something all the time, and few of it is a task to take.
			const calmMs = limits.calmMs - (performance.now() - lookedAt);
			if (calmMs > 0) await delay(calmMs);
		}
	}

	/** Until its task has ended, or it was told to end. */
	async #untilDone(signal: AbortSignal): Promise<void> {
		while (this.#runs.size > 0 && !signal.aborted) {
			this.#wake = Promise.withResolvers();
			await Promise.race([this.#wake.promise, delay(limits.pollMs)]);
		}
	}

	/** What happens to a task that runs here is no reason to look for others. */
	#onChange(taskId: string | undefined): void {
		const runs = [...this.#runs];
		const own = taskId === undefined ? runs : runs.filter((run) => run.taskId === taskId);
		for (const run of own) run.onChange();
		if (taskId === undefined || own.length === 0) this.#wake.resolve();
	}

	async #fill(signal: AbortSignal): Promise<void> {
		const { store, slots, labels } = this.#options;
		try {
			while (this.#runs.size < slots && !signal.aborted) {
				const lease = await store.claim({ id: this.#id, labels });
				if (!lease) return;
				this.#begin(new TaskRun(this.#parts, new HeldLease(store, lease)));
			}
		} catch (error) {
			if (error instanceof UsageError) throw error;
			// Tasks of others are not in danger; this worker takes none until the store answers.
			log.warn("the store of tasks does not answer", { reason: errorText(error) });
		}
	}

	#begin(run: TaskRun): void {
		this.#runs.add(run);
		this.#options.onLine(`task ${run.taskId} started`);
		void run.done.then(() => {
			this.#runs.delete(run);
			this.#options.onLine(`task ${run.taskId} ended here`);
			this.#wake.resolve();
		});
	}

	/** Tasks that end soon do so here; the others continue elsewhere. */
	async #drain(): Promise<void> {
		if (this.#runs.size === 0) return;
		const { size } = this.#runs;
		this.#options.onLine(
			`waits for ${size === 1 ? "one task" : `${size} tasks`}; what is not done in ${this.#options.drainMs / 1000} s continues on another worker`,
		);
		const all = Promise.all([...this.#runs].map(({ done }) => done));
		await Promise.race([all, delay(this.#options.drainMs)]);
		for (const run of this.#runs) run.release();
		await all;
	}
}

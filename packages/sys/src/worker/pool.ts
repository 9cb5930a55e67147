/** Runs tasks on foreign bytes in processes of their own, so that no input can stop, fill or crash the program itself. */
import { abortable, throwIfAborted } from "@tau/utils";

import { limits } from "./limits.ts";
import type { Tasks, WorkerAnswer, WorkerRequest } from "./serve.ts";
import { WorkerProcess, WorkerStopped, type TaskLimits } from "./worker-process.ts";

/** The program that worker processes of a pool run. */
export interface WorkerProgram<T extends Tasks> {
	/** What our own executable calls it: see `worker.ts` of the command line. */
	name: string;
	/** The module that serves the tasks when there is no such executable. */
	entry: string;
	/** For executables that others have compiled: they can start neither, and run the tasks themselves. */
	load(): Promise<T>;
}

export interface TaskOptions {
	limits: TaskLimits;
	signal?: AbortSignal | undefined;
}

type Work = Omit<WorkerRequest, "id">;

/** Tells our executable to be a worker, and which one. */
export const workerVariable = "TAU_WORKER";
/** What decides where the program's files are; nothing else of the environment reaches a worker. */
const passedVariables = ["HOME", "TAU_CONFIG_DIR", "XDG_CACHE_HOME", "TMPDIR", "SystemRoot"] as const;

export class WorkerPool<T extends Tasks> {
	readonly #program: WorkerProgram<T>;
	readonly #idle: { worker: WorkerProcess; timer: NodeJS.Timeout }[] = [];
	readonly #waiting: (() => void)[] = [];
	#busy = 0;

	constructor(program: WorkerProgram<T>) {
		this.#program = program;
	}

	/** Rejects with `WorkerStopped` when a limit was reached, and with the signal's reason when it aborts. */
	async run<K extends keyof T & string>(
		task: K,
		args: Parameters<T[K]>,
		options: TaskOptions,
	): Promise<Awaited<ReturnType<T[K]>>> {
		throwIfAborted(options.signal);
		const command = workerCommand(this.#program);
		if (!command) {
			const run = (await this.#program.load())[task] as unknown as (
				...args: Parameters<T[K]>
			) => ReturnType<T[K]>;
			return await run(...args);
		}
		await this.#place(options.signal);
		try {
			throwIfAborted(options.signal);
			const answer = await this.#answer(command, { task, args, ms: options.limits.ms }, options);
			if (!answer.ok) throw new Error(answer.message);
			return answer.value as Awaited<ReturnType<T[K]>>;
		} finally {
			this.#busy--;
			this.#waiting.shift()?.();
		}
	}

	/** Waits until fewer processes work than may. */
	async #place(signal: AbortSignal | undefined): Promise<void> {
		if (this.#waiting.length >= limits.queued) {
			throw new WorkerStopped("crash", `${limits.queued} other files are waiting to be read`);
		}
		while (this.#busy >= limits.processes) {
			const { promise, resolve } = Promise.withResolvers<void>();
			this.#waiting.push(resolve);
			try {
				await abortable(promise, signal);
			} catch (error) {
				const at = this.#waiting.indexOf(resolve);
				// It may have been this one's turn already, which is then the next one's.
				if (at < 0) this.#waiting.shift()?.();
				else this.#waiting.splice(at, 1);
				throw error;
			}
		}
		this.#busy++;
	}

	async #answer(command: string[], work: Work, options: TaskOptions): Promise<WorkerAnswer> {
		const warm = this.#take();
		try {
			if (warm) return await this.#runIn(warm, work, options);
		} catch (error) {
			// An idle process is the first that the system ends when memory runs out, and that says nothing about this task.
			const isCrash = error instanceof WorkerStopped && error.limit === "crash";
			if (!isCrash || options.signal?.aborted) throw error;
		}
		return await this.#runIn(new WorkerProcess(command, environment(this.#program.name)), work, options);
	}

	async #runIn(worker: WorkerProcess, work: Work, options: TaskOptions): Promise<WorkerAnswer> {
		try {
			return await worker.run(work, options.limits, options.signal);
		} finally {
			if (worker.isReusable) this.#keep(worker);
			else worker[Symbol.dispose]();
		}
	}

	#take(): WorkerProcess | undefined {
		for (let kept = this.#idle.pop(); kept; kept = this.#idle.pop()) {
			clearTimeout(kept.timer);
			if (kept.worker.isReusable) return kept.worker;
			kept.worker[Symbol.dispose]();
		}
		return undefined;
	}

	#keep(worker: WorkerProcess): void {
		const timer = setTimeout(() => {
			this.#idle.splice(
				this.#idle.findIndex((kept) => kept.worker === worker),
				1,
			);
			worker[Symbol.dispose]();
		}, limits.idleMs);
		timer.unref();
		this.#idle.push({ worker, timer });
	}
}

/** The command line of a program of ours; undefined in an executable that others have compiled. */
export function workerCommand({
	name,
	entry,
}: Pick<WorkerProgram<Tasks>, "name" | "entry">): string[] | undefined {
	if (!Bun.isStandaloneExecutable) return [process.execPath, Bun.resolveSync(entry, import.meta.dir)];
	// Set by our own build alone: another executable would start itself again, as whatever it is.
	if (process.env.TAU_EXECUTABLE === undefined) return undefined;
	// An update may have replaced the file; this is the one that is running.
	return [process.platform === "linux" ? "/proc/self/exe" : process.execPath, "worker", name];
}

function environment(name: string): Record<string, string> {
	const env: Record<string, string> = { [workerVariable]: name };
	for (const variable of passedVariables) {
		const value = process.env[variable];
		if (value !== undefined) env[variable] = value;
	}
	return env;
}

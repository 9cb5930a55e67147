/** Starts a worker elsewhere for each task that waits, and no more at once than there are slots. */
import { delay, errorText, log, shortId } from "@tau/utils";

import { limits } from "../limits.ts";
import type { TaskStore } from "../store/store.ts";
import type { Task } from "../task.ts";

/** A place where workers run. */
export interface Runner {
	/** Starts a worker that takes one task and ends. Resolves when it has ended, and nothing of it is left. */
	run(name: string, signal: AbortSignal): Promise<void>;
}

export interface DispatchOptions {
	readonly store: TaskStore;
	readonly runner: Runner;
	readonly slots: number;
	readonly labels: readonly string[];
	onLine(line: string): void;
}

/** Starts workers until the signal aborts; running workers continue then, because the store has their state. */
export async function dispatchTasks(options: DispatchOptions, signal: AbortSignal): Promise<void> {
	const { store } = options;
	/** The task that each worker was started for; it may have got another one. */
	const started = new Map<string, string>();
	const waking = { next: Promise.withResolvers<void>() };
	const wake = (): void => waking.next.resolve();
	using _changes = store.onChange(wake);
	signal.addEventListener("abort", wake, { once: true });
	while (!signal.aborted) {
		waking.next = Promise.withResolvers();
		try {
			const waiting = readyTasks(await store.list(["queued"]), await unfinished(store), options.labels);
			const unassigned = waiting.filter(({ id }) => ![...started.values()].includes(id));
			for (const task of unassigned.slice(0, options.slots - started.size))
				begin(options, task, started, { signal, onEnd: wake });
		} catch (error) {
			log.warn("the store of tasks does not answer", { reason: errorText(error) });
		}
		await Promise.race([waking.next.promise, delay(limits.dispatchMs)]);
	}
}

interface Beginning {
	readonly signal: AbortSignal;
	onEnd(): void;
}

function begin(
	{ runner, onLine }: DispatchOptions,
	{ id }: Task,
	started: Map<string, string>,
	{ signal, onEnd }: Beginning,
): void {
	const name = `tau-${id}-${shortId()}`;
	started.set(name, id);
	onLine(`starts ${name}`);
	runner
		.run(name, signal)
		.catch((error: unknown) => onLine(`${name}: ${errorText(error)}`))
		.finally(() => {
			started.delete(name);
			onEnd();
		});
}

async function unfinished(store: TaskStore): Promise<Set<string>> {
	const tasks = await store.list(["queued", "running", "parked", "failed", "stopped"]);
	return new Set(tasks.map(({ id }) => id));
}

function readyTasks(queued: readonly Task[], open: ReadonlySet<string>, labels: readonly string[]): Task[] {
	const now = Date.now();
	return queued.filter(
		({ runAt, spec }) =>
			runAt <= now &&
			spec.labels.every((label) => labels.includes(label)) &&
			!spec.after.some((id) => open.has(id)),
	);
}

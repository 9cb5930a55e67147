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

/** A worker that was started, and the task for which that was; it may have got another one. */
interface Started {
	readonly taskId: string;
	readonly ended: Promise<void>;
}

/** What could not be started lately: how often, and until when it is left alone. */
type Resting = Map<string, { readonly failures: number; readonly until: number }>;

/** Starts workers until the signal aborts, which ends them: they hand their tasks over. Nothing of them is left then. */
export async function dispatchTasks(options: DispatchOptions, signal: AbortSignal): Promise<void> {
	const { store } = options;
	const started = new Map<string, Started>();
	const resting: Resting = new Map();
	const waking = { next: Promise.withResolvers<void>() };
	const wake = (): void => waking.next.resolve();
	using _changes = store.onChange(wake);
	signal.addEventListener("abort", wake, { once: true });
	while (!signal.aborted) {
		waking.next = Promise.withResolvers();
		try {
			const waiting = readyTasks(await store.list(["queued"]), await unfinished(store), options.labels);
			const taken = new Set([...started.values()].map(({ taskId }) => taskId));
			const now = performance.now();
			const unassigned = waiting.filter(({ id }) => !taken.has(id) && (resting.get(id)?.until ?? 0) <= now);
			for (const { id } of unassigned.slice(0, options.slots - started.size))
				begin(options, id, started, { resting, signal, onEnd: wake });
			for (const id of resting.keys()) if (!waiting.some((task) => task.id === id)) resting.delete(id);
		} catch (error) {
			log.warn("the store of tasks does not answer", { reason: errorText(error) });
		}
		await Promise.race([waking.next.promise, delay(limits.dispatchMs)]);
		if (!signal.aborted) await delay(limits.dispatchCalmMs);
	}
	await Promise.all([...started.values()].map(({ ended }) => ended));
}

interface Beginning {
	readonly resting: Resting;
	readonly signal: AbortSignal;
	onEnd(): void;
}

/** A place that refuses workers is asked for one again after a wait that doubles. */
function begin(
	{ runner, onLine }: DispatchOptions,
	taskId: string,
	started: Map<string, Started>,
	{ resting, signal, onEnd }: Beginning,
): void {
	const name = `tau-${taskId}-${shortId()}`;
	onLine(`starts ${name}`);
	const ended = runner
		.run(name, signal)
		.then(() => void resting.delete(taskId))
		.catch((error: unknown) => {
			const failures = (resting.get(taskId)?.failures ?? 0) + 1;
			const wait = Math.min(limits.retryMs * 2 ** (failures - 1), limits.retryMostMs);
			resting.set(taskId, { failures, until: performance.now() + wait });
			onLine(`${name}: ${errorText(error)}`);
		})
		.finally(() => {
			started.delete(name);
			onEnd();
		});
	started.set(name, { taskId, ended });
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

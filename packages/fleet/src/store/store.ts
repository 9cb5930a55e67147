/** Where tasks are kept: the one interface that commands and workers use, whatever engine is behind it. */
import { UsageError } from "@tau/utils";

import type { LogLine, Progress, Task, TaskMessage, TaskResult, TaskSpec, TaskState } from "../task.ts";

/** Of what is stored. It grows when a Tau that knows only the one before would do harm; that one then takes no tasks. */
export const storeFormat = 1;

/** Throws a `UsageError` if a later Tau has written the tasks. */
export function checkFormat(format: number): void {
	if (format <= storeFormat) return;
	throw new UsageError(
		`The tasks of the fleet are from a later Tau: format ${format}, and this one knows ${storeFormat}. Update Tau on this machine.`,
	);
}

/**
 * The right to work on a task. Its number is higher than that of every lease before; what a worker with an older
 * number writes is refused.
 */
export interface Lease {
	readonly task: Task;
	readonly number: number;
	/** When it was taken or renewed last, by the clock of this process alone (`performance.now`). */
	readonly since: number;
}

export interface WorkerFacts {
	readonly id: string;
	readonly labels: readonly string[];
}

export interface AddOptions {
	/** It is not taken before. Milliseconds since 1970. */
	readonly runAt?: number;
	/** Commits that the repository of the task does not have, as a bundle of git's. */
	readonly bundle?: Uint8Array | undefined;
}

/** Lines for the log of a task. */
export interface LogPart {
	/** How many lines are before these: those that the log has already are not added again. */
	readonly after: number;
	readonly lines: readonly string[];
	/** The state of the tree when all of them had been written. */
	readonly patch?: Uint8Array | undefined;
}

/** What a task leaves in the store. */
export interface ResultFiles {
	/** Commits that are in no repository. */
	readonly out?: Uint8Array | undefined;
	/** The recording of its last session. */
	readonly cassette?: Uint8Array | undefined;
}

/** How a lease ends. */
export type Ending =
	| ({ readonly kind: "done"; readonly result: TaskResult } & ResultFiles)
	/** Tried again at `retryAt`, if there is one. */
	| { readonly kind: "failed"; readonly problem: string; readonly retryAt?: number }
	/** It waits for an answer, and needs no worker meanwhile. */
	| { readonly kind: "parked" }
	/** The worker ends, and another one continues. */
	| { readonly kind: "released" };

/** Reads and writes reject only if the store cannot be used. */
export interface TaskStore extends AsyncDisposable {
	readonly leaseMs: number;
	add(specs: readonly TaskSpec[], options?: AddOptions): Promise<Task[]>;
	/** In the order in which they were added. */
	list(states?: readonly TaskState[]): Promise<Task[]>;
	get(id: string): Promise<Task | undefined>;
	/**
	 * The next task that this worker may take. A task whose lease has run out is one. Rejects with a `UsageError` if a
	 * later Tau uses the store now.
	 */
	claim(worker: WorkerFacts): Promise<Lease | undefined>;
	/** Undefined if the lease was lost, as for all that follows: another worker has it, or the user has stopped the task. */
	renew(lease: Lease): Promise<Lease | undefined>;
	/** Adds lines and patch together. Also false if the store has lost lines before these: they cannot be continued. */
	append(lease: Lease, part: LogPart): Promise<boolean>;
	report(lease: Lease, progress: Progress): Promise<boolean>;
	finish(lease: Lease, ending: Ending): Promise<boolean>;
	/** What has come for the task since the last call. */
	receive(lease: Lease): Promise<TaskMessage[]>;
	send(id: string, message: TaskMessage): Promise<void>;
	/** The lines after number `from`. */
	log(id: string, from?: number): Promise<LogLine[]>;
	patch(id: string): Promise<Uint8Array | undefined>;
	/** `in` are the commits that were added with the task; the others are what it has left. */
	file(id: string, which: "in" | keyof ResultFiles): Promise<Uint8Array | undefined>;
	/** Its lease ends with it. False if it is over already. */
	stop(id: string): Promise<boolean>;
	/** From the beginning. False if it is not over. */
	retry(id: string): Promise<boolean>;
	/** With its log. False if it is not over. */
	remove(id: string): Promise<boolean>;
	/** Called soon after anything has changed, by whomever; with the task, where the store knows which. */
	onChange(listener: (taskId?: string) => void): Disposable;
}

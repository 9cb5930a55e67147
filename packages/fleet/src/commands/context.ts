/** What the commands of the fleet work with; the application gives it. */
import { UsageError, type Env } from "@tau/utils";

import type { TaskStore } from "../store/store.ts";
import type { Task, TaskAgent } from "../task.ts";

export interface FleetContext {
	readonly store: TaskStore;
	/** Whether workers are on this machine alone: then they reach its directories. */
	readonly isLocal: boolean;
	readonly cwd: string;
	readonly env: Env;
	readonly signal: AbortSignal;
	/** Whether to print one JSON object per line. */
	readonly isJson: boolean;
	print(text: string): Promise<void>;
	/** The value of a flag, its values if it repeats, and whether it was given. */
	flag(name: string): string | undefined;
	flags(name: string): readonly string[];
	/** Standard input, where it is not a terminal. */
	input(): Promise<string | undefined>;
	/** An agent of the user or the project by its name. Rejects with a `UsageError` if there is none. */
	agent(name: string): Promise<TaskAgent>;
	/** Makes sure that a worker runs on this machine. */
	startWorker(): Promise<void>;
	/** Joins the session of a task in this terminal. */
	attach(to: { readonly sessionId: string } | { readonly room: string }): Promise<number>;
}

/** By its id or the start of it. */
export async function taskNamed(
	{ store }: Pick<FleetContext, "store">,
	id: string | undefined,
): Promise<Task> {
	if (id === undefined) throw new UsageError("Which task? tau task list shows their ids.");
	const exact = await store.get(id);
	if (exact) return exact;
	const matches = (await store.list()).filter((task) => task.id.startsWith(id));
	const [only] = matches;
	if (matches.length > 1)
		throw new UsageError(`"${id}" matches ${matches.length} tasks. Give more of the id.`);
	if (!only) throw new UsageError(`There is no task "${id}". tau task list shows them.`);
	return only;
}

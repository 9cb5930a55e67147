/** The worker processes of this package. */
import { WorkerPool, WorkerStopped } from "../worker/index.ts";
import type { tasks } from "./tasks.ts";

export const parsers = new WorkerPool<typeof tasks>({
	name: "sys",
	entry: "@tau/sys/worker",
	load: async () => (await import("./tasks.ts")).tasks,
});

/** Turns a stop by a limit into a refusal; everything else is thrown on. */
export async function orRefusal<T, R>(work: Promise<T>, refuse: (why: string) => R): Promise<T | R> {
	try {
		return await work;
	} catch (error) {
		if (error instanceof WorkerStopped) return refuse(error.message);
		throw error;
	}
}

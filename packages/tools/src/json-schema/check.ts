/** Checks schemas and values in a worker process: a pattern or a reference of a schema can need any time and memory. */
import { WorkerPool, WorkerStopped } from "@tau/sys";
import { isRecord } from "@tau/utils";

import { limits } from "./limits.ts";
import type { tasks } from "./tasks.ts";

const checkers = new WorkerPool<typeof tasks>({
	name: "schemas",
	entry: "@tau/tools/schema-worker",
	load: async () => (await import("./tasks.ts")).tasks,
});

/** Why a schema cannot be used; undefined if it can. */
export async function schemaProblem(schema: object, signal?: AbortSignal): Promise<string | undefined> {
	if (isDeeper(schema, limits.depth)) return `it is nested more than ${limits.depth} levels deep`;
	return await stoppedOr(
		(reason) => reason,
		checkers.run("schema", [JSON.stringify(schema)], options(signal)),
	);
}

/** What is wrong with a value; nothing if it fits. `name` is what the value is called: `answer`. */
export async function valueProblems(
	schema: object,
	value: unknown,
	name: string,
	signal?: AbortSignal,
): Promise<string[]> {
	const fail = (reason: string): string[] => [`${name} cannot be checked: ${reason}`];
	try {
		// Text, because a structured clone of a value that is nested deeply enough ends the process.
		const args = [JSON.stringify(schema), JSON.stringify(value), name] as const;
		return await stoppedOr(fail, checkers.run("value", [...args], options(signal)));
	} catch (error) {
		if (error instanceof RangeError) return fail("it is nested too deeply");
		throw error;
	}
}

function options(signal: AbortSignal | undefined) {
	return { limits: limits.work, signal };
}

async function stoppedOr<T, R>(refuse: (reason: string) => R, work: Promise<T>): Promise<T | R> {
	try {
		return await work;
	} catch (error) {
		if (error instanceof WorkerStopped) return refuse(`checking was stopped because ${error.message}`);
		throw error;
	}
}

function isDeeper(value: unknown, levels: number): boolean {
	if (levels < 0) return true;
	const parts = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
	return parts.some((part) => isDeeper(part, levels - 1));
}

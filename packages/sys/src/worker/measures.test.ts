/** A parser on a busy machine is not stopped before it had its time. */
import { expect, test } from "bun:test";

import type { Activity } from "../process/table.ts";
import { measureTime } from "./measures.ts";

const ms = 50;
/** The processor time of a tick of /proc. */
const tickMs = 10;

/** How often a process is looked at before it is stopped, if it shows this activity at the start and at each look. */
async function looksUntilStopped(...activity: readonly (Activity | undefined)[]): Promise<number> {
	let reads = 0;
	const stopped = Promise.withResolvers<void>();
	using _watch = measureTime(() => activity[Math.min(reads++, activity.length - 1)], ms, stopped.resolve);
	await stopped.promise;
	return reads - 1;
}

const waiting = (usedMs: number): Activity => ({ isHeldUp: true, ticks: 700 + usedMs / tickMs });

test("regression: a process that waits for a processor gets the rest of its time", async () => {
	expect(await looksUntilStopped(waiting(0), waiting(20), waiting(40), waiting(50))).toBe(3);
});

test("a process that had its time is stopped at once, also one that waits for something else", async () => {
	expect(await looksUntilStopped(waiting(0), waiting(50))).toBe(1);
	expect(await looksUntilStopped(waiting(0), { isHeldUp: false, ticks: 700 })).toBe(1);
	expect(await looksUntilStopped(undefined)).toBe(1);
});

test("a process that never gets a processor is stopped in the end", async () => {
	expect(await looksUntilStopped(waiting(0))).toBeGreaterThan(1);
});

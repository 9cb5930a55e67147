/** Gives memory back while a session is open, which the engine would let grow to twice of what is in use. */
import { edenGC } from "bun:jsc";

import { nextMacrotask, timer } from "@tau/utils";

import type { Behavior } from "../run/behavior.ts";

const mb = 1024 * 1024;
/**
 * How much the process may grow before what is new and no longer needed is collected, also in the middle of a run: some
 * three turns with tools. This takes 12 ms of CPU. Left to itself the engine waits for as much as is in use, and what
 * survives by chance then lies between pages that it cannot give back.
 */
const recentBytes = 6 * mb;
/**
 * How much it may grow before everything is looked through, which takes 20 ms of CPU after the first turn and 80 ms in a
 * long session: when nothing has run for a second, or at the end of a run once it has grown twice as much. A program that
 * sends one prompt ends before that, and who types at once is not held up.
 */
const growthBytes = 10 * mb;
const quietMs = 1000;
/**
 * A process of this size also gives up the code that it has unpacked, 15 MB of a session with all tools: what is called
 * again is read again from the executable, which takes 60 ms of CPU in all.
 */
const largeBytes = 110 * mb;

/** The memory of this process. */
export interface ProcessMemory {
	bytes(): number;
	/** What is new. */
	collectRecent(): void;
	/** Everything. */
	collect(): void;
	/** Everything, and unpacked code, as soon as nothing runs. */
	shrink(): void;
	/** Calls it when it was quiet for a while. */
	later(run: () => void): Disposable;
}

const ownMemory: ProcessMemory = {
	bytes: () => process.memoryUsage.rss(),
	collectRecent: () => void edenGC(),
	collect: () => Bun.gc(true),
	shrink: () => Bun.shrink(),
	later: (run) => timer(quietMs, run),
};

/** What a process held after its last collections, of whichever session. */
const held = new WeakMap<ProcessMemory, { recent: number; all: number }>();

export function collectGarbage(memory: ProcessMemory = ownMemory): Behavior {
	return {
		name: "collect-garbage",
		attach(session) {
			const after = held.get(memory) ?? { recent: memory.bytes(), all: memory.bytes() };
			held.set(memory, after);
			let isIdle = true;
			let waiting: Disposable | undefined;
			const collect = (): void => {
				if (!isIdle) return;
				if (memory.bytes() < largeBytes) memory.collect();
				else memory.shrink();
				nextMacrotask(() => (after.all = after.recent = memory.bytes()));
			};
			const collectRecent = (): void => {
				const bytes = memory.bytes();
				after.recent = Math.min(after.recent, bytes);
				if (bytes - after.recent < recentBytes) return;
				memory.collectRecent();
				after.recent = memory.bytes();
			};
			const owned = new DisposableStack();
			owned.defer(() => waiting?.[Symbol.dispose]());
			owned.use(
				session.onPhase((phase) => {
					isIdle = phase === "idle";
					waiting?.[Symbol.dispose]();
					if (!isIdle) return;
					const bytes = memory.bytes();
					after.all = Math.min(after.all, bytes);
					const growth = bytes - after.all;
					// What the end of the run changes is shown first.
					if (growth < growthBytes) nextMacrotask(collectRecent);
					else if (growth < 2 * growthBytes) waiting = memory.later(collect);
					else nextMacrotask(collect);
				}),
			);
			owned.use(
				session.onAfter(["turn_end"], ({ toolResults }) => {
					// Without any it is the last one: the run ends, and everything is collected once instead of twice.
					if (toolResults.length > 0) nextMacrotask(collectRecent);
				}),
			);
			return owned;
		},
	};
}

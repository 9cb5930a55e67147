/** Gives memory back while a session is open, which the engine would let grow to twice of what is in use. */
import { edenGC } from "bun:jsc";

import { envNumber, nextMacrotask, type Env } from "@tau/utils";

import type { Behavior } from "../run/behavior.ts";

const mb = 1024 * 1024;
/**
 * How much the process may grow before everything is looked through, which takes 20 ms of CPU after the first turn and
 * 80 ms in a long session: only when a run has ended.
 */
const growthMb = 10;
/**
 * The share of it after which what is new and no longer needed is collected, also in the middle of a run: some three turns
 * with tools. This takes 12 ms of CPU. Left to itself the engine waits for as much as is in use, and what survives by
 * chance then lies between pages that it cannot give back.
 */
const recentShare = 0.6;
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
}

const ownMemory: ProcessMemory = {
	bytes: () => process.memoryUsage.rss(),
	collectRecent: () => void edenGC(),
	collect: () => Bun.gc(true),
	shrink: () => Bun.shrink(),
};

/** What a process held after its last collections, of whichever session. */
const held = new WeakMap<ProcessMemory, { recent: number; all: number }>();

export function collectGarbage(memory: ProcessMemory = ownMemory, env?: Env): Behavior {
	return {
		name: "collect-garbage",
		attach(session) {
			const after = held.get(memory) ?? { recent: memory.bytes(), all: memory.bytes() };
			held.set(memory, after);
			const growth = (envNumber("TAU_COLLECT_MB", env) ?? growthMb) * mb;
			let isIdle = true;
			const collect = (): void => {
				if (!isIdle) return;
				if (memory.bytes() < largeBytes) memory.collect();
				else memory.shrink();
				nextMacrotask(() => (after.all = after.recent = memory.bytes()));
			};
			const collectRecent = (): void => {
				const bytes = memory.bytes();
				after.recent = Math.min(after.recent, bytes);
				if (bytes - after.recent < recentShare * growth) return;
				memory.collectRecent();
				after.recent = memory.bytes();
			};
			const owned = new DisposableStack();
			owned.use(
				session.onPhase((phase) => {
					isIdle = phase === "idle";
					if (!isIdle) return;
					// What the end of the run changes is shown first.
					nextMacrotask(memory.bytes() - after.all >= growth ? collect : collectRecent);
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

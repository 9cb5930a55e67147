/** Gives memory back between two runs, which the engine would let grow to twice of what is in use. */
import { nextMacrotask } from "@tau/utils";

import type { Behavior } from "../run/behavior.ts";

/**
 * How much the process may grow before what it no longer needs is collected: some ten turns with tools. A collection
 * takes about as long as two or three frames, so it is not worth it after each.
 */
const growthBytes = 16 * 1024 * 1024;

/** The memory of this process. */
export interface ProcessMemory {
	bytes(): number;
	collect(): void;
}

const ownMemory: ProcessMemory = {
	bytes: () => process.memoryUsage.rss(),
	collect: () => Bun.gc(true),
};

/** What a process held after its last collection, of whichever session. */
const held = new WeakMap<ProcessMemory, number>();

export function collectGarbage(memory: ProcessMemory = ownMemory): Behavior {
	return {
		name: "collect-garbage",
		attach(session) {
			if (!held.has(memory)) held.set(memory, memory.bytes());
			let isIdle = true;
			return session.onPhase((phase) => {
				isIdle = phase === "idle";
				if (!isIdle || memory.bytes() - (held.get(memory) ?? 0) < growthBytes) return;
				// What the end of the run changes is shown first.
				nextMacrotask(() => {
					if (!isIdle) return;
					memory.collect();
					held.set(memory, memory.bytes());
				});
			});
		},
	};
}

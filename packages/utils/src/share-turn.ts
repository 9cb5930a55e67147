/** Divides the work of many sessions into short turns of the event loop, so that a key waits for one of them at most. */

import { nextMacrotask } from "./next-macrotask.ts";

/** Work of this length is not noticed; with what one session does at once, a turn stays below 10 ms. */
const turnMs = 4;

let beganAt: number | undefined;
/** What pieces of work that were let in expect to take: several are let in before the first one begins. */
let reservedMs = 0;
const waiting: { pieceMs: number; resolve: () => void }[] = [];

/**
 * To be awaited before a piece of work that may coincide with that of other sessions; `pieceMs` is what it usually
 * takes. Undefined if this turn has time left; otherwise resolves in a later one, in the order of the calls.
 */
export function shareTurn(pieceMs = 0): Promise<void> | undefined {
	if (waiting.length === 0) {
		const now = performance.now();
		if (beganAt === undefined) {
			beganAt = now;
			nextMacrotask(nextTurn);
		}
		if (now - beganAt + reservedMs < turnMs) {
			reservedMs += pieceMs;
			return undefined;
		}
	}
	const { promise, resolve } = Promise.withResolvers<void>();
	waiting.push({ pieceMs, resolve });
	return promise;
}

/** One at a time: input is read between two turns, not between the callbacks of one. */
function nextTurn(): void {
	const next = waiting.shift();
	beganAt = next && performance.now();
	reservedMs = next?.pieceMs ?? 0;
	if (!next) return;
	nextMacrotask(nextTurn);
	next.resolve();
}

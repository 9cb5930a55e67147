/** How the last turn of a session ended, read from the ends of its last lines. */
import { isRecord } from "@tau/utils";

import type { Piece } from "../file/piece.ts";
import { limits } from "../limits.ts";
import { messageEnds } from "../tree/spent.ts";

/** The type of the custom entry that records a question to the user during a run. */
export const openRequestType = "tau.request";

/**
 * - `done`: the model finished its answer.
 * - `interrupted`: the user stopped it, or the program ended before the answer was complete.
 * - `failed`: the request failed.
 * - `waiting`: it ended at a question to the user that has no answer.
 * - `running`: a process is at work on it.
 */
export type Outcome = "done" | "interrupted" | "failed" | "waiting" | "running";

/** Undefined if nothing in these lines is part of a turn. */
export function outcomeOf(
	pieces: readonly Piece[],
	read: (offset: number, length: number) => Buffer,
): Outcome | undefined {
	const least = Math.max(0, pieces.length - limits.outcomeEntries);
	for (let at = pieces.length - 1; at >= least; at--) {
		const piece = pieces[at];
		if (piece?.kind !== "entry") continue;
		const { type } = piece.head;
		const isSmall = piece.length <= limits.branchLineBytes;
		if (type !== "message" && !(type === "custom" && isSmall)) continue;
		const outcome = ofEntry(messageEnds({ type, offset: piece.offset, length: piece.length }, read));
		if (outcome) return outcome;
	}
	return undefined;
}

function ofEntry(entry: unknown): Outcome | undefined {
	if (!isRecord(entry)) return undefined;
	if (entry.type === "custom") return entry.customType === openRequestType ? "waiting" : undefined;
	if (!isRecord(entry.message)) return undefined;
	const { role, stopReason } = entry.message;
	if (role === "user" || role === "toolResult") return "interrupted";
	if (role !== "assistant") return undefined;
	if (stopReason === "error") return "failed";
	return stopReason === "stop" ? "done" : "interrupted";
}

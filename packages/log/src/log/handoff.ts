/** The first message of a session that another one handed its work to, and the way back to the earlier sessions. */
import type { AgentMessage } from "@tau/agent";
import { isRecord } from "@tau/utils";

import { limits } from "./limits.ts";
import { SessionManager } from "./session-manager.ts";
import { readCarried } from "./tree/carried-over.ts";
import type { CarriedOver } from "./tree/entry.ts";

/** The type of the message; the name is omp's. */
export const handoffType = "handoff";

/** Stored with the message as data, because its text may be lost in a summary. */
export interface HandoffDetails {
	carried: CarriedOver;
	/** The session that handed over, and the end of its branch; absent if it has no file. */
	from?: { file: string; leafId: string };
}

/** What the user said in the session before, if the message is a handoff that the user has not dropped. */
export function handedOver(message: AgentMessage | undefined): CarriedOver | undefined {
	if (message?.role !== "custom" || message.customType !== handoffType || message.elided?.byUser)
		return undefined;
	const { carried } = isRecord(message.details) ? message.details : {};
	return carried === undefined ? undefined : readCarried(carried);
}

type EarlierSource = Pick<SessionManager, "getBranchHeads" | "getEntry" | "getHeader">;

/**
 * Opens the sessions that handed their work to this one, the latest first, each at the end of its branch. A session that
 * was deleted or moved ends the list. The caller disposes of them.
 */
export function* earlierSessions(log: EarlierSource): Generator<SessionManager> {
	const seen = new Set<string>();
	for (let at = log, depth = 0; depth < limits.earlierSessions; depth++) {
		const from = originOf(at);
		if (!from || seen.has(from.file)) return;
		seen.add(from.file);
		const opened = SessionManager.tryOpen(from.file, { access: "read" });
		if (!opened.ok) return;
		const { session } = opened;
		if (from.leafId !== undefined && session.getEntry(from.leafId)) session.branch(from.leafId);
		yield session;
		at = session;
	}
}

function originOf(log: EarlierSource): { file: string; leafId?: string } | undefined {
	for (const { id, type } of log.getBranchHeads()) {
		const entry = type === "custom_message" ? log.getEntry(id) : undefined;
		if (entry?.type !== "custom_message" || entry.customType !== handoffType) continue;
		const { from } = isRecord(entry.details) ? entry.details : {};
		if (isRecord(from) && typeof from.file === "string")
			return { file: from.file, ...(typeof from.leafId === "string" ? { leafId: from.leafId } : {}) };
		// Handoffs of version 0.2 and of omp name the earlier session in the header only.
		const { parentSession } = log.getHeader();
		return parentSession === undefined ? undefined : { file: parentSession };
	}
	return undefined;
}

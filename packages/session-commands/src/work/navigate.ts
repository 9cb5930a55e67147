/** The effect of selecting an entry of the tree: where the session continues, and which text is edited again. */
import type { SessionEntry, SessionManager } from "@tau/log";

import { textToEdit } from "./tree-entry.ts";

export type Navigation =
	| { kind: "stay" }
	/** `to` is the new leaf; null for the beginning. */
	| { kind: "move"; to: string | null; prefill?: string; left: SessionEntry[] };

/** `leafId` is where the conversation is for a reader, which may be above what was only noted. */
export function navigation(
	log: Pick<SessionManager, "getEntry" | "getBranch" | "getLeafId">,
	targetId: string,
	leafId: string | null,
): Navigation {
	const target = log.getEntry(targetId);
	if (!target) return { kind: "stay" };
	const prefill = textToEdit(target);
	// A message that has no answer yet can be edited, too.
	if (prefill === undefined && (targetId === leafId || targetId === log.getLeafId())) return { kind: "stay" };
	const to = prefill === undefined ? targetId : target.parentId;
	return { kind: "move", to, left: leftBehind(log, to), ...(prefill === undefined ? {} : { prefill }) };
}

/** The entries of the branch that is left, from where the ways part. */
function leftBehind(log: Pick<SessionManager, "getBranch" | "getLeafId">, to: string | null): SessionEntry[] {
	if (log.getLeafId() === null) return [];
	const kept = new Set(to === null ? [] : log.getBranch(to).map(({ id }) => id));
	return log.getBranch().filter(({ id }) => !kept.has(id));
}

const bookkeeping: ReadonlySet<string> = new Set([
	"label",
	"custom",
	"model_change",
	"thinking_level_change",
	"usage",
]);

/** Whether an entry only notes something about the session, and is no part of the conversation. */
export function isBookkeeping(type: string): boolean {
	return bookkeeping.has(type);
}

/** Where the conversation is: what was only noted after the last word does not count. */
export function leafOf(
	entries: ReadonlyMap<string, { readonly type: string; readonly parentId: string | null }>,
	leafId: string | null,
): string | null {
	let at = leafId;
	for (let steps = 0; steps <= entries.size; steps++) {
		const entry = at === null ? undefined : entries.get(at);
		if (!entry || !isBookkeeping(entry.type)) return at;
		at = entry.parentId;
	}
	return leafId;
}

export function lastWord(log: Pick<SessionManager, "getHeads" | "getLeafId">): string | null {
	return leafOf(new Map(log.getHeads().map((head) => [head.id, head])), log.getLeafId());
}

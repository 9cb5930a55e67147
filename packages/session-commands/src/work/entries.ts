/** Entries of a session's file for clients: only what is asked for is read. */
import { compactionSummaryMessage, messageOf, type SessionEntry, type SessionManager } from "@tau/log";
import { UserError } from "@tau/session/run";
import type { Entry, WireMessage } from "@tau/wire";

import { limits } from "../limits.ts";

type Log = Pick<SessionManager, "getHeads" | "getBranchHeads" | "getEntry">;

/** In the order of the file, on all branches. */
export function entriesAfter(log: Log, since: string | undefined, limit = Number.POSITIVE_INFINITY): Entry[] {
	const heads = log.getHeads();
	const after = since === undefined ? 0 : heads.findIndex(({ id }) => id === since) + 1;
	if (since !== undefined && after === 0) throw new UserError(`The session has no entry ${since}.`);
	return entriesOf(log, heads.slice(after, after + limit));
}

/** The way to an entry, which a client that joined has only the end of. */
export function entriesBefore(log: Log, before: string, limit: number = limits.entries): Entry[] {
	const path = log.getBranchHeads();
	const end = path.findIndex(({ id }) => id === before);
	if (end === -1) throw new UserError(`The branch has no entry ${before}.`);
	return entriesOf(log, path.slice(Math.max(0, end - Math.min(limit, limits.entries)), end));
}

function entriesOf(log: Log, heads: readonly { readonly id: string }[]): Entry[] {
	return heads.flatMap(({ id }) => {
		const entry = log.getEntry(id);
		return entry ? [{ ...entry }] : [];
	});
}

/** What a reader sees of an entry of a client: it is a line of the log, whose fields depend on its type. */
export function messagesOf(line: Entry): WireMessage[] {
	const entry = line as SessionEntry;
	return entry.type === "compaction" ? [compactionSummaryMessage(entry)] : messageOf(entry);
}

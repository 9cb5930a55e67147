/** Makes the document of a share, or of an exported page, from a stored session. */
import { SessionManager, type SessionEntry } from "@tau/log";
import { isRecord, version } from "@tau/utils";
import type { Entry, WireMessage } from "@tau/wire";
import { shareFormat, shareVersion, type ShareAgent, type ShareDocument } from "@tau/wire/share";

import { storedType, wholeContent } from "./stored-result.ts";
import { AgentTree } from "../host/agent-tree.ts";
import { agentFacts } from "../host/clients/facts.ts";

/** `branch`: from the root to the leaf. `all`: every branch. An export of the same session is the same page. */
export function shareDocument(log: SessionManager, scope: "branch" | "all", madeAt?: Date): ShareDocument {
	const { id, cwd, timestamp } = log.getHeader();
	const name = log.getSessionName();
	const entries = scope === "branch" ? log.getBranch() : log.getEntries();
	return {
		format: shareFormat,
		version: shareVersion,
		createdAt: madeAt?.toISOString() ?? entries.at(-1)?.timestamp ?? timestamp,
		program: version,
		session: { id, cwd, timestamp, ...(name === undefined ? {} : { name }) },
		leafId: log.getLeafId(),
		entries: connected(entries.flatMap((entry) => readable(entry, log))),
		agents: agentsOf(log),
		masked: 0,
	};
}

/** What a reader cannot read is left out: the state of extensions, and what only the provider understands. */
function readable(entry: SessionEntry, log: SessionManager): Entry[] {
	if (entry.type === "custom" && entry.customType === storedType) return [];
	// A file of another program may have any value there.
	const fields = JSON.parse(JSON.stringify(entry), withoutOpaque) as Entry;
	if (entry.type === "custom" && entry.customType !== "comment") return [{ ...fields, data: undefined }];
	if (!isRecord(fields.message) || fields.message.role !== "toolResult") return [fields];
	const whole = wholeContent(fields.message.details, log);
	return [whole ? { ...fields, message: { ...fields.message, content: whole } } : fields];
}

/** Signatures and encrypted reasoning: nobody could check what is in them. */
function withoutOpaque(name: string, value: unknown): unknown {
	return /signature$|^encrypted/i.test(name) && typeof value === "string" ? undefined : value;
}

/** Parents that were left out, or that a damaged file has lost, are replaced by theirs. */
function connected(entries: readonly Entry[]): Entry[] {
	const ids = new Set<string>();
	let last: string | null = null;
	return entries.flatMap((entry) => {
		if (ids.has(entry.id)) return [];
		const parentId: string | null =
			entry.parentId === null || ids.has(entry.parentId) ? entry.parentId : last;
		ids.add(entry.id);
		last = entry.id;
		return [{ ...entry, parentId }];
	});
}

function agentsOf(log: SessionManager): ShareAgent[] {
	const tree = new AgentTree(() => log.getSessionFile());
	return tree.all.map((info) => {
		const { sessionFile, ...facts } = agentFacts(info);
		return { ...facts, messages: messagesIn(sessionFile ?? tree.logFile(info.id)) };
	});
}

function messagesIn(file: string | undefined): WireMessage[] {
	const opened = file === undefined ? undefined : SessionManager.tryOpen(file, { access: "read" });
	if (!opened?.ok) return [];
	using log = opened.session;
	const { messages } = log.buildSessionContext();
	return JSON.parse(JSON.stringify(messages), withoutOpaque) as WireMessage[];
}

/** The entries of a model's context: which of them it still sees, and the content of each. */
import type { AgentMessage } from "@tau/agent";

import { buildContext, editsOn, messageOf, type Path, type SessionContext } from "./context.ts";
import type { SessionEntry } from "./entry.ts";
import { compactionSummaryMessage, isUndone } from "./messages.ts";
import type { SessionLog } from "../session-log.ts";

export interface SessionProjection extends Pick<SessionContext, "messages" | "thinkingLevel" | "model"> {
	entries: { sourceEntry: SessionEntry; messages: AgentMessage[] }[];
}

/** The entries from the root to the leaf; bodies are read on demand. */
export function pathTo(log: SessionLog, leaf: string | null): Path {
	const heads = log.tree.path(leaf);
	const lineOf = log.linesBackwards();
	return {
		heads,
		entry: (index) => {
			const node = heads[index];
			if (!node) throw new RangeError(`The path has no entry ${index}.`);
			return log.entry(node);
		},
		mayHold: (index, texts) => {
			const node = heads[index];
			const line = node && lineOf(node);
			if (line === undefined) return true;
			// A closure for each of 50,000 lines would be left to collect.
			for (const text of texts) if (line.includes(text)) return true;
			return false;
		},
	};
}

/** The same for existing entries. */
export function pathOf(entries: readonly SessionEntry[]): Path {
	return {
		heads: entries,
		entry: (index) => {
			const entry = entries[index];
			if (!entry) throw new RangeError(`The path has no entry ${index}.`);
			return entry;
		},
	};
}

/** The entries that the model still sees: the last compaction, the entries it retained, and all after it. */
export function contextEntries(path: readonly SessionEntry[]): SessionEntry[] {
	const start = path.findLastIndex(({ type }) => type === "reset_boundary") + 1;
	const at = path.findLastIndex(({ type }) => type === "compaction");
	const compaction = path[at];
	if (at < start || compaction?.type !== "compaction") return path.slice(start);
	const firstKept = path.findIndex(({ id }) => id === compaction.firstKeptEntryId);
	return [
		compaction,
		...(firstKept === -1 ? [] : path.slice(Math.max(firstKept, start), at)),
		...path.slice(at + 1),
	];
}

/** What the model sees, each message with the entry that it comes from. */
export function projectionOf(path: readonly SessionEntry[]): SessionProjection {
	const { thinkingLevel, model } = buildContext(pathOf(path));
	const edits = editsOn(pathOf(path));
	const [last] = contextEntries(path);
	const entries = contextEntries(path).map((entry) => ({
		sourceEntry: entry,
		messages:
			entry === last && entry.type === "compaction"
				? isUndone(entry)
					? []
					: [compactionSummaryMessage(entry)]
				: messageOf(entry, edits.get(entry.id)),
	}));
	return { entries, messages: entries.flatMap(({ messages }) => messages), thinkingLevel, model };
}

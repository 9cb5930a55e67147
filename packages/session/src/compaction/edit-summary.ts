/** Lets the user change what a compaction has left to the model: the summary, and what is kept word for word. */
import type { CompactionEntry, SessionManager } from "../log/index.ts";
import { readCarriedText } from "../log/tree/carried-over.ts";
import { compactionSummaryMessage } from "../log/tree/messages.ts";
import { UserError } from "../run/user-error.ts";

/** What the model reads; undefined if the context does not begin with a summary. */
export function summaryText(log: SessionManager): string | undefined {
	const entry = lastCompaction(log);
	return entry && compactionSummaryMessage(entry).summary;
}

/** Appends the compaction once more with this text: going back before it restores the text as it was. */
export function replaceSummary(log: SessionManager, text: string): void {
	const entry = lastCompaction(log);
	if (!entry) throw new UserError("There is no summary to edit: the conversation has not been compacted.");
	const { id: _, parentId: __, timestamp: ___, shortSummary: ____, ...fields } = entry;
	log.append({ ...fields, ...readCarriedText(text, entry.carried) });
}

function lastCompaction(log: SessionManager): CompactionEntry | undefined {
	const [first] = log.buildContextEntries();
	return first?.type === "compaction" ? first : undefined;
}

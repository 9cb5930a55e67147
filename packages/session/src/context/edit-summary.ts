/** Lets the user change or undo what a compaction has left to the model: the summary, and what is kept word for word. */
import {
	type CarriedMessage,
	type CompactionEntry,
	type SessionEntry,
	type SessionManager,
	readCarried,
	readCarriedText,
	compactionSummaryMessage,
	isUndone,
} from "@tau/log";
import { UserError } from "../run/user-error.ts";

export interface SummaryInfo {
	/** The entry of the compaction. */
	entryId: string;
	/** All that the model reads in place of the summarized messages. */
	text: string;
	/** Of that, the user's messages; `cut` if only a part is there. */
	messages: readonly CarriedMessage[];
	/** Messages older than those, which are only counted. */
	omitted: number;
}

export function summaryInfo(log: SessionManager): SummaryInfo | undefined {
	const entry = lastCompaction(log);
	if (!entry || isUndone(entry)) return undefined;
	const { messages, omitted = 0 } = readCarried(entry.carried);
	return { entryId: entry.id, text: compactionSummaryMessage(editable(entry)).summary, messages, omitted };
}

export function hasCompaction(log: SessionManager): boolean {
	return lastCompaction(log) !== undefined;
}

/** Appends the compaction once more with this text: going back before it restores the text as it was. */
export function replaceSummary(log: SessionManager, text: string): void {
	const entry = lastCompaction(log);
	if (!entry || isUndone(entry)) throw new UserError("There is no summary to edit.");
	if (text.trim() === "") throw new UserError("A summary cannot be empty. Undo the compaction instead.");
	append(log, { ...editable(entry), ...readCarriedText(text, entry.carried) });
}

/** Without what only its provider can read: it would contradict the text of the user, and holds the user's messages. */
function editable(entry: CompactionEntry): CompactionEntry {
	const { openaiRemoteCompaction: _, ...preserved } = entry.preserveData ?? {};
	const { preserveData: __, ...fields } = entry;
	return { ...fields, ...(Object.keys(preserved).length > 0 ? { preserveData: preserved } : {}) };
}

/** Appends what was before the last compaction: an earlier one, or all messages. Nothing that came later is lost. */
export function undoCompaction(log: SessionManager): void {
	const branch = log.getBranch();
	const start = branch.findLastIndex(({ type }) => type === "reset_boundary") + 1;
	const [last, before] = branch.slice(start).filter(isCompaction).toReversed();
	const first = branch[start];
	if (!last || !first) throw new UserError("There is no compaction to undo.");
	const { tokensBefore } = last;
	if (before) append(log, before);
	else
		log.append({ type: "compaction", summary: "", firstKeptEntryId: first.id, tokensBefore, undone: true });
}

function append(log: SessionManager, entry: CompactionEntry): void {
	const { id: _, parentId: __, timestamp: ___, shortSummary: ____, ...fields } = entry;
	log.append(fields);
}

function lastCompaction(log: SessionManager): CompactionEntry | undefined {
	const [first] = log.buildContextEntries();
	return first?.type === "compaction" ? first : undefined;
}

function isCompaction(entry: SessionEntry): entry is CompactionEntry {
	return entry.type === "compaction";
}

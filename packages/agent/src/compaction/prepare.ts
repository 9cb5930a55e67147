/** Decides what a compaction sums up and what it keeps, without asking anybody. */
import type { AgentMessage } from "../types.ts";
import { findCutPoint, type Piece } from "./cut-point.ts";
import { estimateTokens } from "./estimate.ts";
import { fileOperations, type FileAccess, type FileLists, type FileOperations } from "./file-ops.ts";

/** The names are pi's: extensions are shown it before a compaction. */
export interface CompactionPreparation {
	firstKeptEntryId: string;
	messagesToSummarize: AgentMessage[];
	/** The beginning of the turn that the cut goes through. */
	turnPrefixMessages: AgentMessage[];
	isSplitTurn: boolean;
	/** What the summary so far says; the new one takes its place. */
	previousSummary?: string;
	fileOps: FileOperations;
	/** What goes, by estimate. */
	tokensToSummarize: number;
}

export interface PrepareOptions {
	keepTokens: number;
	access: FileAccess;
	/** The compaction before this one. */
	previous?: { summary: string; files?: FileLists };
}

/** Undefined where there is nothing that could go. */
export function prepareCompaction(
	pieces: readonly Piece[],
	{ keepTokens, access, previous }: PrepareOptions,
): CompactionPreparation | undefined {
	const cut = findCutPoint(pieces, keepTokens);
	const kept = cut && pieces[cut.firstKept];
	if (!kept) return undefined;
	const { firstKept, turnStart = firstKept } = cut;
	const messagesToSummarize = messagesOf(pieces.slice(0, turnStart));
	const turnPrefixMessages = messagesOf(pieces.slice(turnStart, firstKept));
	const all = [...messagesToSummarize, ...turnPrefixMessages];
	return {
		firstKeptEntryId: kept.id,
		messagesToSummarize,
		turnPrefixMessages,
		isSplitTurn: turnPrefixMessages.length > 0,
		...(previous ? { previousSummary: previous.summary } : {}),
		fileOps: fileOperations(all, access, previous?.files),
		tokensToSummarize: all.reduce((sum, message) => sum + estimateTokens(message), 0),
	};
}

function messagesOf(pieces: readonly Piece[]): AgentMessage[] {
	return pieces.flatMap(({ message }) => (message ? [message] : []));
}

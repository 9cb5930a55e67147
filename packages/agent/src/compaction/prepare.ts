/** Decides what a compaction summarizes and what it keeps, without a request. */
import type { AgentMessage } from "../types.ts";
import { findCutPoint, type Piece } from "./cut-point.ts";
import { estimateTokens } from "./estimate.ts";
import { fileOperations, type FileAccess, type FileLists, type FileOperations } from "./file-ops.ts";

/** The names are pi's: extensions receive this value before a compaction. */
export interface CompactionPreparation {
	firstKeptEntryId: string;
	messagesToSummarize: AgentMessage[];
	/** The beginning of the turn that the cut goes through. */
	turnPrefixMessages: AgentMessage[];
	isSplitTurn: boolean;
	/** The previous summary, which the new one replaces. */
	previousSummary?: string;
	fileOps: FileOperations;
	/** The tokens of the summarized messages, by estimate. */
	tokensToSummarize: number;
}

export interface PrepareOptions {
	keepTokens: number;
	access: FileAccess;
	/** The compaction before this one. */
	previous?: { summary: string; files?: FileLists };
}

/** Undefined if nothing can be removed. */
export function prepareCompaction(
	pieces: readonly Piece[],
	{ keepTokens, access, previous }: PrepareOptions,
): CompactionPreparation | undefined {
	const cut = findCutPoint(pieces, keepTokens);
	const firstPiece = cut && pieces[cut.firstKept];
	if (!firstPiece) return undefined;
	const { firstKept, turnStart = firstKept } = cut;
	const messagesToSummarize = messagesOf(pieces.slice(0, turnStart));
	const turnPrefixMessages = messagesOf(pieces.slice(turnStart, firstKept));
	const all = [...messagesToSummarize, ...turnPrefixMessages];
	return {
		firstKeptEntryId: firstPiece.id,
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

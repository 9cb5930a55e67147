/** Summarizes a branch that the user is about to leave, so that the next branch has its results. */
import {
	estimateTokens,
	fileLists,
	fileOperations,
	fileTree,
	readFileLists,
	windowBudget,
	type AgentMessage,
	type FileLists,
	type WindowSettings,
	type FileAccess,
} from "@tau/agent";
import type { AssistantMessage, Model } from "@tau/ai";

import branch from "../prompts/compaction-branch.md" with { type: "text" };
import type { RetrySettings } from "../behaviors/auto-retry.ts";
import { type SessionEntry, compactionSummaryMessage } from "@tau/log";
import { piecesOf } from "./path.ts";
import { isText } from "./sealed-compaction.ts";
import { summarize, type Ask } from "./summarize.ts";

export interface BranchSummaryMeans {
	model: Model;
	ask: Ask;
	/** Which files a call reads or changes. */
	access: FileAccess;
	window: WindowSettings;
	retry: RetrySettings;
	signal: AbortSignal;
	/** What the user wants the summary to focus on. */
	instructions?: string;
	/** The instructions replace the default prompt of the summary. */
	replacesPrompt?: boolean;
}

export interface BranchSummary {
	summary: string;
	details: FileLists;
	/** The model's answers that the summary took, for the caller that stores it. */
	paid?: readonly Pick<AssistantMessage, "provider" | "model" | "usage">[];
}

/**
 * Makes the summary for `SessionManager.branchWithSummary`. Returns undefined if the branch has no messages.
 * Throws the model's failure or the reason of the abort.
 */
export async function summarizeBranch(
	entries: readonly SessionEntry[],
	{ model, ask, access, window, retry, signal, instructions, replacesPrompt }: BranchSummaryMeans,
): Promise<BranchSummary | undefined> {
	const budget = windowBudget(model.contextWindow, window);
	const all = messagesOf(entries);
	const text = await summarize(
		{ template: branch, messages: newest(all, budget.sourceTokens), instructions, replacesPrompt },
		{ ask, budget, retry, signal },
	);
	if (text === "") return undefined;
	const operations = fileOperations(all, access, filesOf(entries));
	const summary = [text, fileTree(operations)].filter((part) => part !== "").join("\n\n");
	return { summary, details: fileLists(operations) };
}

/** A compaction on the branch represents the entries that it replaced. */
function messagesOf(entries: readonly SessionEntry[]): AgentMessage[] {
	return entries.flatMap((entry): AgentMessage[] => {
		// What a compaction without a summary has replaced is on the branch as well.
		if (entry.type === "compaction") return isText(entry) ? [compactionSummaryMessage(entry)] : [];
		return piecesOf([entry]).flatMap(({ message }) => message ?? []);
	});
}

/** The summary takes one request: the end of an abandoned branch is its most useful part. */
function newest(messages: readonly AgentMessage[], tokens: number): AgentMessage[] {
	let total = 0;
	const from = messages.findLastIndex((message) => (total += estimateTokens(message)) > tokens);
	return messages.slice(Math.min(from + 1, messages.length - 1));
}

/** The files listed in summaries on the branch, except in summaries that an extension wrote. */
function filesOf(entries: readonly SessionEntry[]): FileLists {
	const lists = entries.flatMap((entry) => {
		if (entry.type !== "compaction" && entry.type !== "branch_summary") return [];
		return entry.fromHook || entry.fromExtension ? [] : (readFileLists(entry.details) ?? []);
	});
	return {
		readFiles: lists.flatMap(({ readFiles }) => readFiles),
		modifiedFiles: lists.flatMap(({ modifiedFiles }) => modifiedFiles),
	};
}

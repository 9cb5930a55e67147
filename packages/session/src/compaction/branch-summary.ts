/** Sums up a branch that is about to be left, so that the next one knows of it. */
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
import type { SessionEntry } from "../log/index.ts";
import { compactionSummaryMessage } from "../log/tree/messages.ts";
import { piecesOf } from "./path.ts";
import { summarize, type Ask } from "./summarize.ts";

export interface BranchSummaryMeans {
	model: Model;
	ask: Ask;
	/** Which files a call reads or changes. */
	access: FileAccess;
	window: WindowSettings;
	retry: RetrySettings;
	signal: AbortSignal;
	/** What the person wants it to be about. */
	instructions?: string;
	/** They stand in the place of what it is asked for with. */
	replacesPrompt?: boolean;
}

export interface BranchSummary {
	summary: string;
	details: FileLists;
	/** The answers that it took, for whoever keeps it. */
	paid?: readonly Pick<AssistantMessage, "provider" | "model" | "usage">[];
}

/**
 * For `SessionManager.branchWithSummary`. Undefined where nothing was said on the branch. Throws why the model
 * failed, or why it was aborted.
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

/** A compaction on the branch stands for what it took away. */
function messagesOf(entries: readonly SessionEntry[]): AgentMessage[] {
	return entries.flatMap((entry): AgentMessage[] => {
		if (entry.type === "compaction") return [compactionSummaryMessage(entry)];
		return piecesOf([entry]).flatMap(({ message }) => message ?? []);
	});
}

/** In one request: of a branch that is left for good, the end says most. */
function newest(messages: readonly AgentMessage[], tokens: number): AgentMessage[] {
	let total = 0;
	const from = messages.findLastIndex((message) => (total += estimateTokens(message)) > tokens);
	return messages.slice(Math.min(from + 1, messages.length - 1));
}

/** Files that summaries on the branch tell of, unless an extension wrote them. */
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

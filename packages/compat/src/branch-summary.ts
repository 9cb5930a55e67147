/** Summing up a branch that is left, by pi's functions. */
import { estimateTokens, fileLists, type AgentMessage, type FileOperations } from "@tau/agent";
import type { Model } from "@tau/ai";
import { streamInScope } from "@tau/extensions/providers";
import type { SessionEntry, SessionManager } from "@tau/log";
import { summarizeBranch } from "@tau/session/compaction";

import { DEFAULT_COMPACTION_SETTINGS, builtinAccess, fileOpsOf } from "./support/compaction.ts";
import { sessionEntryToContextMessages } from "./support/entries.ts";

export interface CollectEntriesResult {
	entries: SessionEntry[];
	commonAncestorId: string | null;
}

/** The entries between the old position and the fork. */
export function collectEntriesForBranchSummary(
	session: Pick<SessionManager, "getBranch">,
	oldLeafId: string | null,
	targetId: string,
): CollectEntriesResult {
	if (oldLeafId === null) return { entries: [], commonAncestorId: null };
	const target = new Set(session.getBranch(targetId).map(({ id }) => id));
	const old = session.getBranch(oldLeafId);
	const common = old.findLastIndex(({ id }) => target.has(id));
	return { entries: old.slice(common + 1), commonAncestorId: old[common]?.id ?? null };
}

export interface BranchPreparation {
	messages: AgentMessage[];
	fileOps: FileOperations;
	totalTokens: number;
}

/** The newest messages that fit; 0 means no limit. */
export function prepareBranchEntries(
	entries: readonly SessionEntry[],
	tokenBudget: number = 0,
): BranchPreparation {
	const all = entries.flatMap(sessionEntryToContextMessages);
	let totalTokens = 0;
	let from = all.length;
	for (const [index, message] of [...all.entries()].toReversed()) {
		const tokens = estimateTokens(message);
		if (tokenBudget > 0 && totalTokens + tokens > tokenBudget) break;
		totalTokens += tokens;
		from = index;
	}
	return { messages: all.slice(from), fileOps: fileOpsOf(all), totalTokens };
}

export interface GenerateBranchSummaryOptions {
	model: Model;
	apiKey?: string;
	headers?: Record<string, string>;
	signal: AbortSignal;
	customInstructions?: string;
	reserveTokens?: number;
}

export interface BranchSummaryResult {
	summary?: string;
	readFiles?: string[];
	modifiedFiles?: string[];
	aborted?: boolean;
	error?: string;
}

/** Never rejects: what went wrong is in the result. */
export async function generateBranchSummary(
	entries: readonly SessionEntry[],
	options: GenerateBranchSummaryOptions,
): Promise<BranchSummaryResult> {
	const { model, apiKey, headers, signal, customInstructions } = options;
	const { reserveTokens = DEFAULT_COMPACTION_SETTINGS.reserveTokens } = options;
	const { keepRecentTokens } = DEFAULT_COMPACTION_SETTINGS;
	try {
		const made = await summarizeBranch(entries, {
			model,
			access: builtinAccess,
			window: { reserveTokens, keepRecentTokens, thresholdPercent: 0, thresholdTokens: 0 },
			retry: { enabled: false, maxAttempts: 0, baseDelayMs: 0, maxDelayMs: 0 },
			signal,
			...(customInstructions === undefined ? {} : { instructions: customInstructions }),
			ask: (context, asked) =>
				streamInScope(model, context, {
					...asked,
					...(apiKey === undefined ? {} : { apiKey }),
					...(headers ? { headers } : {}),
				}).result(),
		});
		if (!made) return { summary: "", ...fileLists(fileOpsOf([])) };
		return { summary: made.summary, ...made.details };
	} catch (error) {
		if (signal.aborted) return { aborted: true };
		return { error: error instanceof Error ? error.message : String(error) };
	}
}

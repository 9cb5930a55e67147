/** Moves to another point of the session's tree for an extension, with a summary of the abandoned branch on request. */
import type { BranchSummary } from "@tau/session";
import type { SessionEntry, SessionManager } from "@tau/log";

import type { ResultOf, TreePreparation } from "./event-types.ts";
import { limits } from "../support/limits.ts";
import type { ExtensionRunner } from "../host/runner.ts";
import type { NavigateOptions } from "./types.ts";

/** `replace` cancels the run and resumes from the log after the change. Resolves with whether it was done. */
export async function navigateTree(
	runner: ExtensionRunner,
	replace: (change: () => void) => Promise<void>,
	targetId: string,
	options: NavigateOptions,
): Promise<boolean> {
	const { log } = runner.bound;
	const target = log.getEntry(targetId);
	if (!target) throw new Error(`Entry ${targetId} not found in this session.`);
	const oldLeafId = log.getLeafId();
	const stop = new AbortController();
	const preparation = prepare(log, target, options);
	const answer = await ask(runner, preparation, stop.signal);
	if (answer.cancel) return false;
	const { label = options.label } = answer;
	// If no summary was requested, the summary of an extension is ignored too.
	const own = options.summarize ? answer.summary : undefined;
	const summaryOptions = { signal: stop.signal, ...summaryOptionsOf(options, answer) };
	const made =
		options.summarize && !own
			? await runner.session.summarizeBranch(preparation.entriesToSummarize, summaryOptions)
			: undefined;
	const summary = own ?? made;
	const leaf = newLeafOf(target);
	let summaryId: string | undefined;
	await replace(() => {
		if (summary) summaryId = log.branchWithSummary(leaf, summary.summary, summary.details, own !== undefined);
		else if (leaf === null) log.resetLeaf();
		else log.branch(leaf);
		keepPaid(log, made?.paid);
		if (label !== undefined) log.appendLabelChange(summaryId ?? targetId, label);
	});
	await emitTreeChange(runner, { oldLeafId, summaryId, fromExtension: own !== undefined });
	return true;
}

/** The cost of the summary counts for the session that stores it. */
export function keepPaid(log: SessionManager, paid: BranchSummary["paid"] = []): void {
	for (const { provider, model, usage } of paid) log.appendUsage("branch_summary", provider, model, usage);
}

/** The options of an extension override those of the original request. */
export function summaryOptionsOf(
	wished: NavigateOptions,
	options: Pick<NavigateOptions, "customInstructions" | "replaceInstructions">,
): { instructions?: string; replacesPrompt?: boolean } {
	const { customInstructions, replaceInstructions } = { ...wished, ...options };
	return {
		...(customInstructions === undefined ? {} : { instructions: customInstructions }),
		...(replaceInstructions === undefined ? {} : { replacesPrompt: replaceInstructions }),
	};
}

/** The combined result of the extensions for a navigation in the tree. */
export type TreeEvent = ResultOf<"session_before_tree"> & {
	/** The entries to summarize; handlers may have replaced them. */
	entriesToSummarize?: readonly SessionEntry[];
};

/** Describes a request of the user to navigate to another point of the tree. */
export async function askAboutTree(
	runner: ExtensionRunner,
	targetId: string,
	options: NavigateOptions,
): Promise<TreeEvent> {
	const { log } = runner.bound;
	const target = log.getEntry(targetId);
	if (!target) throw new Error(`Entry ${targetId} not found in this session.`);
	const preparation = prepare(log, target, options);
	const answer = await ask(runner, preparation, new AbortController().signal);
	return { ...answer, entriesToSummarize: preparation.entriesToSummarize };
}

/** A completed navigation, as it is emitted to handlers. */
export interface TreeStep {
	oldLeafId: string | null;
	/** The summary of what was left, where there is one. */
	summaryId: string | undefined;
	fromExtension: boolean;
}

export async function emitTreeChange(
	runner: ExtensionRunner,
	{ oldLeafId, summaryId, fromExtension }: TreeStep,
): Promise<void> {
	const { log } = runner.bound;
	const summaryEntry = summaryId === undefined ? undefined : log.getEntry(summaryId);
	const moved = {
		newLeafId: log.getLeafId(),
		oldLeafId,
		...(summaryEntry ? { summaryEntry, fromExtension } : {}),
	};
	await runner.emit({ type: "session_tree", ...moved });
	await runner.emitToToolSessions({ ...moved, reason: "tree" });
}

function prepare(log: SessionManager, target: SessionEntry, options: NavigateOptions): TreePreparation {
	const { customInstructions, replaceInstructions, label } = options;
	const leaf = newLeafOf(target);
	const way = new Set(leaf === null ? [] : log.getBranch(leaf).map(({ id }) => id));
	const left = log.getLeafId() === null ? [] : log.getBranch();
	return {
		targetId: target.id,
		oldLeafId: log.getLeafId(),
		commonAncestorId: left.findLast(({ id }) => way.has(id))?.id ?? null,
		entriesToSummarize: left.filter(({ id }) => !way.has(id)),
		userWantsSummary: options.summarize ?? false,
		...(customInstructions === undefined ? {} : { customInstructions }),
		...(replaceInstructions === undefined ? {} : { replaceInstructions }),
		...(label === undefined ? {} : { label }),
	};
}

async function ask(
	{ events }: ExtensionRunner,
	preparation: TreePreparation,
	signal: AbortSignal,
): Promise<ResultOf<"session_before_tree">> {
	const answer: ResultOf<"session_before_tree"> = {};
	await events.ask(
		"session_before_tree",
		() => ({ type: "session_before_tree", preparation, signal }),
		(result) => {
			Object.assign(answer, result);
			return result.cancel ? "stop" : undefined;
		},
		{ limitMs: limits.summaryMs },
	);
	return answer;
}

/** For a user or custom message the new leaf is its parent, so that the message can be rewritten. */
function newLeafOf(entry: SessionEntry): string | null {
	const canBeRewritten =
		entry.type === "custom_message" || (entry.type === "message" && entry.message.role === "user");
	return canBeRewritten ? entry.parentId : entry.id;
}

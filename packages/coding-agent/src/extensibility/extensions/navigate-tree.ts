/** Goes to another point of the session's tree for an extension, with a summary of what is left where it is wanted. */
import type { SessionEntry, SessionManager } from "../../session/index.ts";
import type { ResultOf, TreePreparation } from "./events/types.ts";
import { limits } from "./limits.ts";
import type { ExtensionRunner } from "./runner.ts";
import type { NavigateOptions } from "./types.ts";

/** `replace` stops what runs and goes on with what the log holds after the change. Says whether it was done. */
export async function navigateTree(
	runner: ExtensionRunner,
	replace: (change: () => void) => Promise<void>,
	targetId: string,
	options: NavigateOptions,
): Promise<boolean> {
	const { log } = runner.side;
	const target = log.getEntry(targetId);
	if (!target) throw new Error(`There is no entry ${targetId} in this session.`);
	const oldLeafId = log.getLeafId();
	const stop = new AbortController();
	const preparation = prepare(log, target, options);
	const answer = await ask(runner, preparation, stop.signal);
	if (answer.cancel) return false;
	const { customInstructions = options.customInstructions, label = options.label } = answer;
	const summary =
		answer.summary ??
		(options.summarize
			? await runner.session.summarizeBranch(preparation.entriesToSummarize, {
					signal: stop.signal,
					...(customInstructions === undefined ? {} : { instructions: customInstructions }),
				})
			: undefined);
	// From a message of the person it goes on before it, so that it can be said in another way.
	const leaf = isOfPerson(target) ? target.parentId : target.id;
	let summaryId: string | undefined;
	await replace(() => {
		if (summary)
			summaryId = log.branchWithSummary(leaf, summary.summary, summary.details, answer.summary !== undefined);
		else if (leaf === null) log.resetLeaf();
		else log.branch(leaf);
		if (label !== undefined) log.appendLabelChange(summaryId ?? targetId, label);
	});
	await tellOfTree(runner, { oldLeafId, summaryId, fromExtension: answer.summary !== undefined });
	return true;
}

/** The person wants to go to another point of the tree: what extensions say to it. */
export async function askAboutTree(
	runner: ExtensionRunner,
	targetId: string,
	options: NavigateOptions,
): Promise<ResultOf<"session_before_tree">> {
	const { log } = runner.side;
	const target = log.getEntry(targetId);
	if (!target) throw new Error(`There is no entry ${targetId} in this session.`);
	return await ask(runner, prepare(log, target, options), new AbortController().signal);
}

/** A step that was done, for those who are told of it. */
export interface TreeStep {
	oldLeafId: string | null;
	/** The summary of what was left, where there is one. */
	summaryId: string | undefined;
	fromExtension: boolean;
}

export async function tellOfTree(
	runner: ExtensionRunner,
	{ oldLeafId, summaryId, fromExtension }: TreeStep,
): Promise<void> {
	const { log } = runner.side;
	const summaryEntry = summaryId === undefined ? undefined : log.getEntry(summaryId);
	await runner.emit({
		type: "session_tree",
		newLeafId: log.getLeafId(),
		oldLeafId,
		...(summaryEntry ? { summaryEntry, fromExtension } : {}),
	});
	await runner.tellTools("tree");
}

function prepare(log: SessionManager, target: SessionEntry, options: NavigateOptions): TreePreparation {
	const { customInstructions, replaceInstructions, label } = options;
	const way = new Set(log.getBranch(target.id).map(({ id }) => id));
	const left = log.getBranch();
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
		(given) => {
			Object.assign(answer, given);
			return given.cancel ? "stop" : undefined;
		},
		{ limitMs: limits.summaryMs },
	);
	return answer;
}

function isOfPerson(entry: SessionEntry): boolean {
	return entry.type === "message" && entry.message.role === "user";
}

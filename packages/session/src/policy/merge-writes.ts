/** Which files the merge of an agent's tree may write into the project. */
import { mergeFields, type ApprovalFields } from "./approval-request.ts";
import { isFirm, type Opinion } from "./judge.ts";
import type { MergeWrites } from "./policy.ts";
import type { RunningCommands } from "./running-commands.ts";

interface MergeJudge {
	/** Called again after an answer: what has become narrower meanwhile wins. */
	judge(path: string): Opinion;
	readonly canAsk: boolean;
	/** Where nothing contains commands: those that a change of links gets in the way of. */
	readonly running: RunningCommands | undefined;
	ask(fields: ApprovalFields): Promise<boolean>;
	notice(message: string): void;
}

/** The mode has judged what the agent did in its tree; what rules and protected paths need counts for the project. */
export async function refusedWrites(
	merge: MergeWrites,
	signal: AbortSignal,
	{ judge, canAsk, running, ask, notice }: MergeJudge,
): Promise<Map<string, string>> {
	const { agent, paths, toolCallId = "", preview } = merge;
	const asks = await linksInUse(merge, running, signal);
	const refused = deniedWrites(paths, judge);
	for (const path of paths) {
		const opinion = judge(path);
		if (opinion.verdict === "ask" && isFirm(opinion)) asks.set(path, opinion.reason);
	}
	if (asks.size === 0) return refused;
	const asked = [...asks.keys()];
	const why = [...new Set(asks.values())].join("; ");
	if (!canAsk)
		notice(`Changes of agent ${agent} were not merged: this session has no one to approve them: ${why}.`);
	const fields = mergeFields({ agent, toolCallId, paths: asked, why, preview: preview(asked) });
	const isYes = canAsk && (await ask(fields));
	signal.throwIfAborted();
	if (isYes) return deniedWrites(paths, judge);
	const reason = canAsk ? "the user has declined it" : "it needs the user's approval, and nobody can answer";
	for (const path of asked) refused.set(path, reason);
	return refused;
}

/** Links that a command may still open files through, with the reason. */
async function linksInUse(
	{ links = [], ended = Promise.resolve(), agent }: MergeWrites,
	running: RunningCommands | undefined,
	signal: AbortSignal,
): Promise<Map<string, string>> {
	if (!running || links.length === 0) return new Map();
	const use = { opens: false, changes: true, usesGit: false, changesGit: true };
	const reason = await running.inTheWay(use, signal);
	const end = running.begin(use, `the merge of ${agent}`, running.begun);
	void ended.then(end, end);
	return new Map(reason === undefined ? [] : links.map((path) => [path, `changes links: ${reason}`]));
}

function deniedWrites(paths: readonly string[], judge: MergeJudge["judge"]): Map<string, string> {
	const denials = paths.flatMap((path): [string, string][] => {
		const opinion = judge(path);
		if (opinion.verdict === "deny") return [[path, opinion.reason]];
		return opinion.verdict === "refuse" ? [[path, "the session is in plan mode"]] : [];
	});
	return new Map(denials);
}

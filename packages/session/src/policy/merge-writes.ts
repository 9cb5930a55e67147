/** Which files the merge of an agent's tree may write into the project. */
import { mergeFields, type ApprovalFields } from "./approval-request.ts";
import { isFirm, type Opinion } from "./judge.ts";
import type { MergeWrites } from "./policy.ts";

interface MergeJudge {
	/** Called again after an answer: what has become narrower meanwhile wins. */
	judge(path: string): Opinion;
	readonly canAsk: boolean;
	ask(fields: ApprovalFields): Promise<boolean>;
	notice(message: string): void;
}

/** The mode has judged what the agent did in its tree; what rules and protected paths need counts for the project. */
export async function refusedWrites(
	{ agent, paths, toolCallId = "", preview }: MergeWrites,
	signal: AbortSignal,
	{ judge, canAsk, ask, notice }: MergeJudge,
): Promise<Map<string, string>> {
	const refused = deniedWrites(paths, judge);
	const asks = new Map<string, string>();
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

function deniedWrites(paths: readonly string[], judge: MergeJudge["judge"]): Map<string, string> {
	const denials = paths.flatMap((path): [string, string][] => {
		const opinion = judge(path);
		if (opinion.verdict === "deny") return [[path, opinion.reason]];
		return opinion.verdict === "refuse" ? [[path, "the session is in plan mode"]] : [];
	});
	return new Map(denials);
}

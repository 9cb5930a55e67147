/** Removes tool results from the context; the log keeps them, and their notes say how to read them again. */
import { planPruning, type Piece, type PrunedResult } from "@tau/agent";
import type { TextContent, ToolCall } from "@tau/ai";

import elidedResult from "../prompts/elided-result.md" with { type: "text" };
import elidedUseless from "../prompts/elided-useless.md" with { type: "text" };
import { fill } from "@tau/utils";
import type { SessionManager } from "@tau/log";

export interface PruneRequest {
	/** At least so many tokens have to go, otherwise nothing does. */
	excess: number;
	protectTokens: number;
	dropUseless: boolean;
}

/** Returns what was removed; undefined if it would not be enough. */
export function pruneResults(
	log: SessionManager,
	pieces: readonly Piece[],
	{ excess, ...options }: PruneRequest,
): { results: number; tokens: number } | undefined {
	const pruned = planPruning(pieces, { ...options, isLasting });
	const tokens = pruned.reduce((sum, result) => sum + result.tokens, 0);
	if (pruned.length === 0 || tokens < excess) return undefined;
	for (const result of pruned) {
		const content: TextContent[] = [{ type: "text", text: noteFor(result) }];
		log.appendContextEdit(result.id, { content });
	}
	return { results: pruned.length, tokens };
}

function noteFor({ id, cause, tokens }: PrunedResult): string {
	return cause === "useless" ? elidedUseless.trim() : fill(elidedResult, { id, tokens: String(tokens) });
}

/** Instructions that the model has read stay: skills, rules and memories. */
function isLasting({ arguments: args }: ToolCall): boolean {
	return Object.values(args).some(
		(value) => typeof value === "string" && /^(skill|rule|memory):\/\//.test(value),
	);
}

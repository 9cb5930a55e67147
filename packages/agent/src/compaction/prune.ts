/** Decides which tool results can leave the context without a summary: useless, repeated, then old ones. */
import type { ToolCall, ToolResultMessage } from "@tau/ai/portable";

import type { Piece } from "./cut-point.ts";
import { estimateTokens } from "./estimate.ts";
import { limits } from "./limits.ts";

export interface PrunedResult {
	/** The entry of the result. */
	id: string;
	cause: "useless" | "superseded" | "old";
	/** The result, by estimate. */
	tokens: number;
}

export interface PruneOptions {
	/** Of the newest results, so many tokens stay, except for useless and repeated ones. */
	protectTokens: number;
	/** Whether results that their tool calls useless go at any age. */
	dropUseless: boolean;
	/** The results of these calls always stay. */
	isLasting?(call: ToolCall): boolean;
}

/** From the oldest result on. Results with images and those that are already gone are left out. */
export function planPruning(
	pieces: readonly Piece[],
	{ protectTokens, dropUseless, isLasting = () => false }: PruneOptions,
): PrunedResult[] {
	const calls = callsIn(pieces);
	/** Calls that were made again, and succeeded. */
	const repeated = new Set<string>();
	const newestFirst: PrunedResult[] = [];
	/** Tokens of the results after the one at hand. */
	let passed = 0;
	// The model has not read the results after its last answer yet.
	let isRead = false;
	for (const { id, message } of pieces.toReversed()) {
		isRead ||= message?.role === "assistant";
		if (message?.role !== "toolResult") continue;
		const call = calls.get(message.toolCallId);
		const key = call ? `${call.name} ${JSON.stringify(call.arguments)}` : undefined;
		const isRepeated = key !== undefined && repeated.has(key);
		if (key !== undefined && !message.isError) repeated.add(key);
		const tokens = estimateTokens(message);
		const after = passed;
		passed += tokens;
		const isUseless = dropUseless && message.useless === true;
		const least = isUseless ? limits.uselessTokens : limits.prunedTokens;
		if (!isRead || tokens < least || !isPrunable(message) || (call && isLasting(call))) continue;
		if (isUseless) newestFirst.push({ id, cause: "useless", tokens });
		else if (isRepeated) newestFirst.push({ id, cause: "superseded", tokens });
		else if (after >= protectTokens) newestFirst.push({ id, cause: "old", tokens });
	}
	return newestFirst.toReversed();
}

export function callsIn(pieces: readonly Piece[]): Map<string, ToolCall> {
	const calls = new Map<string, ToolCall>();
	for (const { message } of pieces) {
		if (message?.role !== "assistant") continue;
		for (const block of message.content) if (block.type === "toolCall") calls.set(block.id, block);
	}
	return calls;
}

function isPrunable({ content, elided }: ToolResultMessage): boolean {
	const isGone = elided !== undefined && (elided.byUser === true || elided.tokens > 0);
	return !isGone && content.every(({ type }) => type === "text");
}

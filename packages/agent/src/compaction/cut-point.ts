/** Finds where a conversation can be cut in two: the messages before are summarized, the messages after are kept. */
import type { AgentMessage } from "../types.ts";
import { estimateTokens } from "./estimate.ts";

/** An entry of a conversation, oldest first; an entry without a message is not sent to the model. */
export interface Piece {
	readonly id: string;
	readonly message?: AgentMessage;
}

export interface CutPoint {
	/** The first piece that is kept. */
	firstKept: number;
	/** Where the split turn starts, if the cut is inside a turn. */
	turnStart?: number;
}

/**
 * The cut that keeps about `keepTokens` at the end. Undefined if nothing can be cut off: the conversation is short,
 * or has no possible cut.
 */
export function findCutPoint(pieces: readonly Piece[], keepTokens: number): CutPoint | undefined {
	const cuts = possibleCuts(pieces);
	const [first] = cuts;
	const tokensAfter = tokensFrom(pieces);
	const target = tokensAfter.findLastIndex((tokens) => tokens >= keepTokens);
	if (first === undefined || target === -1) return undefined;
	const behind = cuts.filter((at) => at >= target);
	// A cut between turns needs no summary of a turn's beginning, which is worth keeping somewhat less.
	const atTurn = behind.find((at) => beginsTurn(pieces[at]) && (tokensAfter[at] ?? 0) >= keepTokens / 2);
	const cut = atTurn ?? behind[0] ?? cuts.at(-1);
	if (cut === undefined || cut <= first) return undefined;
	const turnStart = beginsTurn(pieces[cut]) ? -1 : pieces.slice(0, cut).findLastIndex(beginsTurn);
	return { firstKept: withMetadata(pieces, cut), ...(turnStart === -1 ? {} : { turnStart }) };
}

/** True for everything except answers and tool results. */
function beginsTurn(piece: Piece | undefined): boolean {
	const role = piece?.message?.role;
	return role !== undefined && role !== "assistant" && role !== "toolResult";
}

/** The starts of messages that are not results, where no earlier call has a later result. */
function possibleCuts(pieces: readonly Piece[]): number[] {
	const callAt = new Map<string, number>();
	/** Maps each call to its last result. */
	const answeredAt = new Map<number, number>();
	for (const [index, { message }] of pieces.entries()) {
		if (message?.role === "assistant") {
			for (const block of message.content) if (block.type === "toolCall") callAt.set(block.id, index);
		} else if (message?.role === "toolResult") {
			const call = callAt.get(message.toolCallId);
			if (call !== undefined) answeredAt.set(call, index);
		}
	}
	let holdsUntil = -1;
	return [...pieces.keys()].filter((index) => {
		const { message } = pieces[index] ?? {};
		const isPossible = message !== undefined && message.role !== "toolResult" && index > holdsUntil;
		holdsUntil = Math.max(holdsUntil, answeredAt.get(index) ?? -1);
		return isPossible;
	});
}

/** For each piece, the tokens of it and of all later pieces. */
function tokensFrom(pieces: readonly Piece[]): number[] {
	let total = 0;
	return pieces
		.toReversed()
		.map(({ message }) => (total += message ? estimateTokens(message) : 0))
		.toReversed();
}

/** A change of the model or a label right before a message belongs to it. */
function withMetadata(pieces: readonly Piece[], cut: number): number {
	return pieces.slice(0, cut).findLastIndex(({ message }) => message !== undefined) + 1;
}

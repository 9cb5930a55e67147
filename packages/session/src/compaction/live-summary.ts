/**
 * Requests a summary with the conversation's own request and one instruction behind it. All but that instruction is
 * in the provider's cache, which costs about a tenth of sending the conversation again.
 */
import { charsFor, shortened, withoutFileTree } from "@tau/agent";
import { failure, type AssistantMessage, type Context, type Model } from "@tau/ai";

import live from "../prompts/compaction-live.md" with { type: "text" };
import handoff from "../prompts/handoff-live.md" with { type: "text" };
import { fill } from "@tau/utils";
import type { NextRequest } from "../run/behavior.ts";
import { answerTo, focusOn, SummaryFailure, textOf, type SummaryMeans } from "./summarize.ts";

export interface LiveRequest {
	request: NextRequest;
	/** The instruction behind the conversation. */
	prompt: string;
}

/** The instruction for a summary; `kept` messages stay in the context as they are. */
export function livePrompt(kept: number, instructions: string | undefined): string {
	return fill(live, { kept: String(kept), focus: focusOn(instructions) });
}

export function handoffPrompt(instructions: string | undefined): string {
	return fill(handoff, { focus: focusOn(instructions) });
}

/** Throws a `SummaryFailure`, also if the model calls a tool instead, or the reason of the abort. */
export async function summarizeLive(
	{ request, prompt: content }: LiveRequest,
	means: SummaryMeans,
): Promise<string> {
	const { budget, signal } = means;
	const { context, options } = request;
	const messages: Context["messages"] = [
		...context.messages,
		{ role: "user", content, timestamp: Date.now() },
	];
	// A model that thinks by a budget would get another budget from another maximum, and miss the cache.
	const maxTokens = options.reasoning === "off" ? { maxTokens: budget.summaryTokens } : {};
	const answer = await answerTo({ ...context, messages }, { ...options, ...maxTokens, signal }, means);
	if (answer.content.some(({ type }) => type === "toolCall"))
		throw new SummaryFailure(
			failure("invalid_response", "the model called a tool instead of writing a summary"),
		);
	return shortened(withoutFileTree(textOf(answer)), charsFor(budget.summaryTokens));
}

/** Whether the provider still has the conversation of this answer, by this model, in its cache. */
export function isWarm(
	answer: AssistantMessage | undefined,
	{ provider, id }: Model,
	warmMs: number,
): boolean {
	if (!answer || answer.stopReason === "error" || answer.stopReason === "aborted") return false;
	const isSame = answer.provider === provider && answer.model === id;
	return isSame && Date.now() - answer.timestamp < warmMs;
}

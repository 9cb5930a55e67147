/** Requests a summary of a conversation from a model, in as many requests as its window needs. */
import { portions, withoutFileTree, type AgentMessage, type WindowBudget } from "@tau/agent";
import {
	failure as failureOf,
	type AssistantMessage,
	type Context,
	type Failure,
	type StreamOptions,
} from "@tau/ai";
import { delay, fill } from "@tau/utils";

import focus from "../prompts/compaction-focus.md" with { type: "text" };
import own from "../prompts/compaction-own.md" with { type: "text" };
import ownUpdate from "../prompts/compaction-own-update.md" with { type: "text" };
import system from "../prompts/compaction-system.md" with { type: "text" };
import update from "../prompts/compaction-update.md" with { type: "text" };
import { waitFor, type RetrySettings } from "../behaviors/auto-retry.ts";
import { convertToLlm } from "../run/convert-to-llm.ts";
import { limits } from "./limits.ts";

/** One request outside the conversation. */
export type Ask = (
	context: Context,
	options: Pick<StreamOptions, "maxTokens" | "reasoning" | "sessionId"> & { signal: AbortSignal },
) => Promise<AssistantMessage>;

export interface SummaryRequest {
	/** The prompt template for a conversation without a summary; has the placeholders `conversation` and `focus`. */
	template: string;
	messages: readonly AgentMessage[];
	/** What the user wants the summary to focus on. */
	instructions?: string | undefined;
	/** If set, `instructions` replace the whole prompt and the template is not used. */
	replacesPrompt?: boolean | undefined;
	/** A summary of the earlier conversation, which the new one replaces. */
	previousSummary?: string | undefined;
}

export interface SummaryMeans {
	ask: Ask;
	budget: Pick<WindowBudget, "summaryTokens" | "sourceTokens">;
	retry: RetrySettings;
	signal: AbortSignal;
}

export class SummaryFailure extends Error {
	readonly failure: Failure;

	constructor(failure: Failure) {
		super(failure.message);
		this.name = "SummaryFailure";
		this.failure = failure;
	}
}

/** Returns the summary without lists of files. Throws a `SummaryFailure` or the reason of the abort. */
export async function summarize(request: SummaryRequest, means: SummaryMeans): Promise<string> {
	for (let tokens = means.budget.sourceTokens; ; tokens = Math.floor(tokens / 2)) {
		try {
			return await fold(request, portionsOf(request, tokens), means);
		} catch (error) {
			const isTooLong = error instanceof SummaryFailure && error.failure.kind === "overflow";
			if (!isTooLong || tokens / 2 < limits.leastPortionTokens) throw error;
		}
	}
}

/** A conversation longer than any window retains its beginning, which has the topic, and its end. */
function portionsOf({ messages }: SummaryRequest, tokens: number): string[] {
	const all = portions(convertToLlm(messages), tokens);
	const [first] = all;
	if (first === undefined || all.length <= limits.summaryRequests) return all;
	const rest = all.slice(-(limits.summaryRequests - 1));
	return [`${first}\n\n[… ${all.length - limits.summaryRequests} parts left out …]`, ...rest];
}

/** Each portion is added to the summary of those before it. */
async function fold(request: SummaryRequest, parts: readonly string[], means: SummaryMeans): Promise<string> {
	const { instructions, replacesPrompt, previousSummary } = request;
	const ownPrompt = instructions?.trim() ?? "";
	const prompts =
		replacesPrompt && ownPrompt !== ""
			? { template: own, update: ownUpdate, focus: ownPrompt }
			: { ...request, update, focus: focusOn(instructions) };
	let summary = previousSummary === undefined ? undefined : withoutFileTree(previousSummary);
	for (const part of parts) {
		const conversation = closed(part);
		const prompt =
			summary === undefined
				? fill(prompts.template, { conversation, focus: prompts.focus })
				: fill(prompts.update, { summary: closed(summary), conversation, focus: prompts.focus });
		const messages = [{ role: "user" as const, content: prompt, timestamp: Date.now() }];
		const { budget, signal } = means;
		const options = { maxTokens: budget.summaryTokens, reasoning: "off" as const, signal };
		const answer = await answerTo({ systemPrompt: system.trim(), messages }, options, means);
		summary = withoutFileTree(textOf(answer));
	}
	return summary ?? "";
}

/** Text behind the prompt about what the user wants; empty without one. */
export function focusOn(instructions: string | undefined): string {
	const wished = instructions?.trim() ?? "";
	return wished === "" ? "" : `\n\n${fill(focus, { instructions: wished })}`;
}

/** Escapes the conversation so that its text cannot close the tag around it. */
function closed(text: string): string {
	return text.replaceAll(/<\/(conversation|previous-summary)>/gi, "<\\/$1>");
}

/** Temporary failures are retried. Throws a `SummaryFailure` or the reason of the abort. */
export async function answerTo(
	context: Context,
	options: Parameters<Ask>[1],
	{ ask, retry, signal }: Pick<SummaryMeans, "ask" | "retry" | "signal">,
): Promise<AssistantMessage> {
	for (let attempt = 0; ; attempt++) {
		signal.throwIfAborted();
		const answer = await ask(context, options);
		signal.throwIfAborted();
		const problem = problemOf(answer);
		if (!problem) {
			// Asking again does not help a model that wrote nothing, or called a tool: another way may.
			if (textOf(answer).trim() !== "") return answer;
			throw new SummaryFailure(failureOf("invalid_response", "the model returned an empty summary"));
		}
		const wait = attempt < retry.maxAttempts ? waitFor(problem, attempt, retry, false) : undefined;
		if (wait === undefined) throw new SummaryFailure(problem);
		await delay(wait, signal);
	}
}

function problemOf({ stopReason, failure, errorMessage }: AssistantMessage): Failure | undefined {
	if (stopReason === "error" || stopReason === "aborted")
		return failure ?? failureOf("unknown", errorMessage ?? "no reason given");
	return undefined;
}

export function textOf({ content }: AssistantMessage): string {
	return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

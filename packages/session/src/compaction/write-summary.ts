/** Has the summary of a compaction written: from the provider's cache if possible, otherwise from the text, by the first model that can. */
import { fileTree, windowBudget, type CompactionPreparation, type WindowBudget } from "@tau/agent";
import type { AssistantMessage, Model } from "@tau/ai";
import { log as logger, fill } from "@tau/utils";

import { isSealedFor } from "@tau/log";
import firstTemplate from "../prompts/compaction-first.md" with { type: "text" };
import splitTurn from "../prompts/compaction-split-turn.md" with { type: "text" };
import turnPrefix from "../prompts/compaction-turn-prefix.md" with { type: "text" };
import type { SessionHandle } from "../run/behavior.ts";
import { limits } from "./limits.ts";
import { handoffPrompt, isWarm, livePrompt, summarizeLive } from "./live-summary.ts";
import { askRemote } from "./remote-summary.ts";
import type { CompactionSettings } from "./settings.ts";
import { summarize, SummaryFailure, type SummaryMeans } from "./summarize.ts";

export interface SummaryPlan {
	preparation: CompactionPreparation;
	tokensBefore: number;
	/** For the conversation's own model. */
	budget: WindowBudget;
	/** How many messages stay in the context. */
	kept: number;
	/** True if the conversation does not fit into a request. */
	isOverflow: boolean;
}

export interface SummaryOptions {
	instructions?: string | undefined;
	/** The instructions replace the prompt. */
	replacesPrompt?: boolean | undefined;
	/** For a new session instead of this one. */
	isHandoff?: boolean;
}

export interface WriterParts {
	session: SessionHandle;
	settings: CompactionSettings;
	signal: AbortSignal;
	/** Called for each answer, which is paid for even if it is of no use. */
	pay(answer: AssistantMessage): void;
}

/** The summary with the list of files. Throws the failure of the last model, or the reason of the abort. */
export async function writeSummary(
	plan: SummaryPlan,
	options: SummaryOptions,
	parts: WriterParts,
): Promise<string> {
	const summary =
		(await remoteSummary(plan, options, parts)) ??
		(await firstOf(parts, (model) => summaryBy(model, plan, options, parts)));
	return [summary, fileTree(plan.preparation.fileOps)].filter((part) => part !== "").join("\n\n");
}

/** Undefined if there is no server for it, or if it fails: then the models write the summary. */
async function remoteSummary(
	plan: SummaryPlan,
	options: SummaryOptions,
	{ session, settings, signal }: WriterParts,
): Promise<string | undefined> {
	const { remoteEndpoint, retry } = settings;
	if (remoteEndpoint === undefined) return undefined;
	try {
		const ask = askRemote(remoteEndpoint, session.model);
		return await summaryOfText(plan, options, { ask, budget: plan.budget, retry, signal });
	} catch (error) {
		signal.throwIfAborted();
		session.notice("warning", `The summary is written by the model: ${String(error)}`);
		return undefined;
	}
}

/** Tries the models one after the other. The last one that fails decides which reason is reported. */
export async function firstOf<T>(
	{ session, settings, signal }: Pick<WriterParts, "session" | "settings" | "signal">,
	attempt: (model: Model) => Promise<T>,
	of: "conversation" | "branch" = "conversation",
): Promise<T> {
	const models = settings.models?.(session.model, of) ?? [session.model];
	for (const [index, model] of models.entries()) {
		try {
			return await attempt(model);
		} catch (error) {
			if (signal.aborted || index === models.length - 1) throw error;
			logger.warn("a model failed to write a summary, the next one is asked", {
				model: `${model.provider}/${model.id}`,
				reason: String(error),
			});
		}
	}
	throw new Error("No model can write a summary.");
}

export function summaryMeans(
	model: Model,
	budget: Pick<WindowBudget, "summaryTokens" | "sourceTokens">,
	{ session, settings, signal, pay }: WriterParts,
): SummaryMeans {
	return {
		budget,
		retry: settings.retry,
		signal,
		ask: async (context, { maxTokens, ...options }) => {
			const most =
				maxTokens !== undefined && model.maxTokens > 0 ? Math.min(model.maxTokens, maxTokens) : maxTokens;
			const limit = most === undefined ? {} : { maxTokens: most };
			const answer = await session.ask(context, { ...options, ...limit }, model);
			session.recordUsage("compaction", answer);
			pay(answer);
			return answer;
		},
	};
}

async function summaryBy(
	model: Model,
	plan: SummaryPlan,
	options: SummaryOptions,
	parts: WriterParts,
): Promise<string> {
	const { session, settings, signal } = parts;
	const isOwn = model.provider === session.model.provider && model.id === session.model.id;
	const means = summaryMeans(model, isOwn ? plan.budget : windowBudget(model.contextWindow, settings), parts);
	if (isOwn && canContinue(plan, options, session)) {
		try {
			const request = await session.nextRequest(signal);
			const prompt = options.isHandoff
				? handoffPrompt(options.instructions)
				: livePrompt(plan.kept, options.instructions);
			return await summarizeLive({ request, prompt }, means);
		} catch (error) {
			// Another way helps a model that called a tool, wrote nothing or got too much; nothing helps a missing key.
			const kind = error instanceof SummaryFailure ? error.failure.kind : undefined;
			const isOtherwise = kind === "invalid_response" || kind === "overflow" || kind === "invalid_request";
			if (signal.aborted || !isOtherwise) throw error;
			logger.info("the conversation is summarized from its text", { reason: String(error) });
		}
	}
	return await summaryOfText(plan, options, means);
}

/** Whether the conversation's own request, with one more message, is likely to be in the cache, and fits. */
function canContinue(
	{ isOverflow, tokensBefore, budget }: SummaryPlan,
	{ replacesPrompt = false }: SummaryOptions,
	{ model, state }: SessionHandle,
): boolean {
	if (isOverflow || replacesPrompt) return false;
	const window = model.contextWindow > 0 ? model.contextWindow : Number.POSITIVE_INFINITY;
	if (tokensBefore + budget.summaryTokens > window) return false;
	const [first] = state.messages;
	// Its own request lacks what it cannot read.
	if (first?.role === "compactionSummary" && isSealedFor(first, model)) return false;
	const answer = state.messages.findLast((message) => message.role === "assistant");
	return isWarm(answer, model, limits.warmCacheMs);
}

async function summaryOfText(
	{ preparation }: SummaryPlan,
	{ instructions, replacesPrompt }: SummaryOptions,
	means: SummaryMeans,
): Promise<string> {
	const { messagesToSummarize, turnPrefixMessages, previousSummary } = preparation;
	const history = await summarize(
		{ template: firstTemplate, messages: messagesToSummarize, instructions, replacesPrompt, previousSummary },
		means,
	);
	const turn = await summarize({ template: turnPrefix, messages: turnPrefixMessages, instructions }, means);
	return history !== "" && turn !== "" ? fill(splitTurn, { history, turn }) : history || turn;
}

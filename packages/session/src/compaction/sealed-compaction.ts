/** Compactions without a summary: the history on images, or in a form that only the provider's own models read. */
import type { Model } from "@tau/ai";

import { compactionSummaryMessage, isUndone, sealedIn, type CompactionEntry } from "@tau/log";
import compactedByProvider from "../prompts/provider-compaction.md" with { type: "text" };
import { convertToLlm } from "../run/convert-to-llm.ts";
import { snapcompact } from "./snapcompact.ts";
import type { SummaryPlan, WriterParts } from "./write-summary.ts";

/** What is stored of a compaction. */
export interface Written {
	summary: string;
	shortSummary?: string;
	preserveData?: Record<string, unknown>;
}

export type PlanWith<P extends SummaryPlan> = (
	isUsable: (compaction: CompactionEntry) => boolean,
) => (P & { path: { previous?: CompactionEntry } }) | undefined;

/** Whether a summary can be built upon: images and items of a provider have no text. */
export function isText(compaction: CompactionEntry): boolean {
	const { images, items } = sealedIn(compaction);
	return images === undefined && items === undefined;
}

/** Undefined if neither is wanted, or possible: then a summary is written, and a notice says why. */
export async function writeSealed<P extends SummaryPlan>(
	plan: PlanWith<P>,
	parts: WriterParts,
): Promise<{ plan: P; written: Written } | undefined> {
	const { strategy, providerNative } = parts.settings;
	if (strategy === "snapcompact") return await printed(plan, parts);
	return providerNative ? await byProvider(plan, parts) : undefined;
}

async function printed<P extends SummaryPlan>(
	planWith: PlanWith<P>,
	{ session, settings }: WriterParts,
): Promise<{ plan: P; written: Written } | undefined> {
	const { model, notice } = session;
	const plan = planWith((compaction) => sealedIn(compaction).items === undefined);
	if (!plan) return undefined;
	const snapshot = await snapcompact(plan, plan.path.previous, model, settings.shape);
	if (typeof snapshot !== "string") {
		const count = snapshot.preserveData.snapcompact.frames.length;
		const shortSummary = `The history is on ${count} ${count === 1 ? "image" : "images"}.`;
		return { plan, written: { ...snapshot, shortSummary } };
	}
	const reason = `${nameOf(model)} ${snapshot}, which compaction.strategy: snapcompact needs`;
	notice("warning", `${reason}. The conversation is summarized instead.`);
	return undefined;
}

/** Not after an overflow: the request would be too long as well. */
async function byProvider<P extends SummaryPlan>(
	planWith: PlanWith<P>,
	{ session, signal, pay }: WriterParts,
): Promise<{ plan: P; written: Written } | undefined> {
	const { model, notice } = session;
	if (model.compat?.supportsCompaction !== true) return undefined;
	const plan = planWith((compaction) => {
		const { images, items } = sealedIn(compaction);
		return images === undefined && (items === undefined || items.provider === model.provider);
	});
	if (!plan || plan.isOverflow) return undefined;
	const { messagesToSummarize, turnPrefixMessages } = plan.preparation;
	const { previous } = plan.path;
	const { context, options } = await session.nextRequest(signal);
	const messages = convertToLlm([
		...(previous && !isUndone(previous) ? [compactionSummaryMessage(previous)] : []),
		...messagesToSummarize,
		...turnPrefixMessages,
	]);
	const { systemPrompt } = context;
	const answer = await session.ask(
		{ ...(systemPrompt === undefined ? {} : { systemPrompt }), messages },
		{ ...options, compaction: true, signal },
	);
	signal.throwIfAborted();
	session.recordUsage("compaction", answer);
	pay(answer);
	if (answer.compacted) {
		const { provider, items: replacementHistory } = answer.compacted;
		const preserveData = { openaiRemoteCompaction: { provider, replacementHistory } };
		const shortSummary = `Compacted by ${provider}.`;
		return { plan, written: { summary: compactedByProvider.trim(), shortSummary, preserveData } };
	}
	const reason = answer.errorMessage ?? "it returned nothing";
	notice(
		"warning",
		`${nameOf(model)} has not compacted the conversation: ${reason}. It is summarized instead.`,
	);
	return undefined;
}

function nameOf({ provider, id }: Model): string {
	return `${provider}/${id}`;
}

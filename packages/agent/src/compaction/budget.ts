/** Divides a model's window: when to compact, how much to keep, and how much a summary may be made from. */
import { limits } from "./limits.ts";

export interface WindowSettings {
	/** Tokens left free for the answer. */
	reserveTokens: number;
	/** Tokens at the end of the conversation that stay unchanged. */
	keepRecentTokens: number;
	/** When to compact, as a share of the window; with 0 or less, the reserve decides. */
	thresholdPercent: number;
	/** When to compact, in tokens; overrides the share. */
	thresholdTokens: number;
}

export interface WindowBudget {
	/** Above this many tokens the context is too full; infinite if the window is unknown. */
	threshold: number;
	keepTokens: number;
	/** The maximum length of a summary. */
	summaryTokens: number;
	/** How much of the user's own messages is kept word for word behind the summary. */
	ledgerTokens: number;
	/** How much of the conversation one request for a summary may contain, by estimate. */
	sourceTokens: number;
}

export function windowBudget(contextWindow: number, settings: WindowSettings): WindowBudget {
	const window = contextWindow > 0 ? contextWindow : limits.assumedWindow;
	const most = thresholdOf(window, settings);
	const summaryTokens = Math.floor(Math.min(settings.reserveTokens, window * limits.summaryShare));
	return {
		threshold: contextWindow > 0 ? most : Number.POSITIVE_INFINITY,
		keepTokens: Math.floor(Math.min(settings.keepRecentTokens, most * limits.keptShare)),
		summaryTokens,
		ledgerTokens: Math.floor(Math.min(limits.ledgerTokens, most * limits.ledgerShare)),
		sourceTokens: Math.floor((window - summaryTokens) * limits.filledShare),
	};
}

function thresholdOf(window: number, settings: WindowSettings): number {
	const { thresholdTokens, thresholdPercent, reserveTokens } = settings;
	if (thresholdTokens > 0) return Math.min(thresholdTokens, window);
	if (thresholdPercent > 0) return Math.floor((window * Math.min(thresholdPercent, 100)) / 100);
	// A reserve that a large window can spare would take up all of a small one.
	const reserve = Math.min(Math.max(window * limits.freeShare, reserveTokens), window / 2);
	return Math.floor(window - reserve);
}

/** The ratio of the provider's count to our estimate. */
export function correction(counted: number, estimated: number): number {
	if (estimated <= 0) return 1;
	return Math.min(limits.correction, Math.max(1, counted / estimated));
}
